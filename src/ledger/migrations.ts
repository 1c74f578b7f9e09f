// The ledger's schema migrations.
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Schema } from '../database/migrating.ts'
import { UNKNOWN_AFTER_MS } from './metrics.ts'

const migrations: Record<string, Migration> = {
  // The first two are older than the rule for names.
  '001-acceptances': {
    async up(db) {
      await db.schema
        .createTable('document')
        .addColumn('sha256', 'text', (column) => column.notNull().primaryKey())
        .addColumn('text', 'text', (column) => column.notNull())
        .addColumn('media_type', 'text', (column) => column.notNull())
        .addColumn('locale', 'text', (column) => column.notNull())
        .addColumn('kept_at', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('acceptance')
        .addColumn('id', 'text', (column) => column.notNull().primaryKey())
        .addColumn('jti', 'text', (column) => column.notNull().unique())
        .addColumn('rule_name', 'text', (column) => column.notNull())
        .addColumn('policy_version', 'text', (column) => column.notNull())
        .addColumn('document_sha256', 'text', (column) => column.notNull())
        .addColumn('document_source', 'text', (column) => column.notNull())
        .addColumn('locale', 'text', (column) => column.notNull())
        .addColumn('state', 'text', (column) =>
          column.notNull().check(sql`state in ('pending', 'accepted', 'refused')`),
        )
        .addColumn('requested_at', 'text', (column) => column.notNull())
        .addColumn('decided_at', 'text')
        .addColumn('engine_status', 'integer')
        .addColumn('attempts', 'integer', (column) => column.notNull())
        .addColumn('portal_version', 'text', (column) => column.notNull())
        .addColumn('client_address', 'text')
        .execute()
      await db.schema
        .createTable('attempt')
        .addColumn('id', 'text', (column) => column.notNull().primaryKey())
        .addColumn('jti', 'text', (column) => column.notNull().references('acceptance.jti'))
        .addColumn('asked_at', 'text', (column) => column.notNull())
        .addColumn('answered_at', 'text')
        .addColumn('engine_status', 'integer')
        .execute()
      await db.schema.createIndex('acceptance_by_state').on('acceptance').columns(['state', 'requested_at']).execute()
      await db.schema.createIndex('attempt_by_verdict').on('attempt').columns(['jti', 'engine_status']).execute()
    },
  },
  '002-acceptances-by-time': {
    async up(db) {
      await db.schema.createIndex('acceptance_by_time').on('acceptance').columns(['requested_at', 'id']).execute()
    },
  },
  '003-expand-shown-by-attempt': {
    async up(db) {
      for (const column of ['policy_version', 'document_sha256', 'locale', 'document_source', 'client_address']) {
        await db.schema.alterTable('attempt').addColumn(column, 'text').execute()
      }
    },
  },
  '004-expand-shown-carried-over': {
    // In an acceptance of an older version the shown columns belong to its first attempt; those of later attempts are not
    // known. Skips attempts in flight: the older replica would wait for this step to record their outcome.
    async up(db) {
      const recently = new Date(Date.now() - UNKNOWN_AFTER_MS).toISOString()
      await sql`
        update attempt set policy_version = acceptance.policy_version, document_sha256 = acceptance.document_sha256,
          locale = acceptance.locale, document_source = acceptance.document_source,
          client_address = acceptance.client_address
        from acceptance
        where acceptance.jti = attempt.jti and attempt.policy_version is null
          and (attempt.answered_at is not null or attempt.asked_at < ${recently})
          and attempt.asked_at = acceptance.requested_at
          and (acceptance.attempts = 1 or attempt.id = (
            select min(id) from attempt as first
            where first.jti = acceptance.jti and first.asked_at = acceptance.requested_at
          ))
      `.execute(db)
    },
  },
  '005-expand-shown-everywhere': {
    // What is left of version 2026.47: an attempt that was in flight during step 004 gets its columns, too. What a later attempt
    // was shown is not known: it is assumed to be what its acceptance has.
    async up(db) {
      const isFirst = sql`(attempt.asked_at = acceptance.requested_at and attempt.id = (
        select min(id) from attempt as first
        where first.jti = acceptance.jti and first.asked_at = acceptance.requested_at
      ))`
      await sql`
        update attempt set policy_version = acceptance.policy_version, document_sha256 = acceptance.document_sha256,
          locale = acceptance.locale,
          document_source = case when ${isFirst} then acceptance.document_source else 'assumed' end,
          client_address = case when ${isFirst} then acceptance.client_address end
        from acceptance
        where acceptance.jti = attempt.jti and attempt.policy_version is null
      `.execute(db)
    },
  },
  '006-expand-heads': {
    async up(db) {
      await db.schema
        .createTable('ledger_head')
        .addColumn('portal', 'text', (column) => column.notNull())
        .addColumn('number', 'integer', (column) => column.notNull())
        .addColumn('at', 'text', (column) => column.notNull())
        .addColumn('until', 'text')
        .addColumn('size', 'integer', (column) => column.notNull())
        .addColumn('root', 'text', (column) => column.notNull())
        .addColumn('previous', 'text')
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('signature', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('ledger_head_key', ['portal', 'number'])
        .execute()
      await db.schema
        .createTable('ledger_leaf')
        .addColumn('portal', 'text', (column) => column.notNull())
        .addColumn('head', 'integer', (column) => column.notNull())
        .addColumn('position', 'integer', (column) => column.notNull())
        .addColumn('hash', 'text', (column) => column.notNull())
        .addColumn('attempt_id', 'text')
        .addColumn('entry_id', 'text')
        .addColumn('salt', 'text')
        .addColumn('before_merge', 'text')
        .addPrimaryKeyConstraint('ledger_leaf_key', ['portal', 'head', 'position'])
        .execute()
      await db.schema
        .createTable('ledger_entry')
        .addColumn('id', 'text', (column) => column.notNull().primaryKey())
        .addColumn('at', 'text', (column) => column.notNull())
        .addColumn('kind', 'text', (column) => column.notNull().check(sql`kind in ('prune', 'erasure', 'copy')`))
        .addColumn('before', 'text')
        .addColumn('acceptances', 'integer', (column) => column.notNull())
        .addColumn('attempts', 'integer', (column) => column.notNull())
        .addColumn('leaves', 'text', (column) => column.notNull())
        .addColumn('root', 'text')
        .execute()
      await db.schema.createIndex('ledger_head_by_time').on('ledger_head').columns(['at', 'portal', 'number']).execute()
      await db.schema.createIndex('ledger_leaf_by_attempt').on('ledger_leaf').column('attempt_id').execute()
      await db.schema.createIndex('ledger_leaf_by_entry').on('ledger_leaf').column('entry_id').execute()
    },
  },
}

export const LEDGER_SCHEMA: Schema = {
  migrations,
  oldest: { step: '003-expand-shown-by-attempt', version: '2026.48' },
  table: 'ledger_migration',
  lock: 7_294_108_355_126_701n,
  remedy: 'a portal does that when it starts',
}
