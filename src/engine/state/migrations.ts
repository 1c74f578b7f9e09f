// The schema migrations of the engine's state. The names begin with `engine_`: the ledger may be in the same database.
import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migrations: Record<string, Migration> = {
  '001-expand-state': {
    async up(db) {
      await table(db, 'engine_session', ['holder', 'rule_name', 'client_address', 'reference'])
        .addColumn('started_at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .addColumn('revision', 'bigint', (column) => column.notNull().defaultTo(0))
        .addPrimaryKeyConstraint('engine_session_key', ['holder', 'rule_name'])
        .execute()
      await db.schema.createIndex('engine_session_by_expiry').on('engine_session').column('expires_at').execute()
      await db.schema
        .createIndex('engine_session_by_revision')
        .on('engine_session')
        .column('revision')
        .where(sql<boolean>`revision > 0`)
        .execute()
      await table(db, 'engine_attempt', ['holder', 'rule_name', 'recent'])
        .addColumn('used', 'integer', (column) => column.notNull())
        .addColumn('allowed', 'integer', (column) => column.notNull())
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('engine_attempt_key', ['holder', 'rule_name'])
        .execute()
      await table(db, 'engine_redemption', ['reference'])
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('engine_redemption_key', ['reference'])
        .execute()
      await table(db, 'engine_permission', ['id', 'host', 'permitted_by'])
        .addColumn('below', 'integer', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('engine_permission_key', ['id'])
        .execute()
      await table(db, 'engine_url', ['digest', 'url'])
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('engine_url_key', ['digest'])
        .execute()
      for (const name of ['engine_attempt', 'engine_redemption', 'engine_url']) {
        await db.schema.createIndex(`${name}_by_expiry`).on(name).column('expires_at').execute()
      }
      await db.schema
        .createTable('engine_revision')
        .addColumn('id', 'integer', (column) => column.notNull().primaryKey())
        .addColumn('revision', 'bigint', (column) => column.notNull())
        .execute()
      await sql`insert into engine_revision (id, revision) values (1, 0)`.execute(db)
    },
  },
  '002-expand-presence': {
    async up(db) {
      await table(db, 'engine_presence', ['client_address', 'user_name'])
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .addColumn('revision', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('engine_presence_key', ['client_address'])
        .execute()
      for (const column of ['expires_at', 'revision']) {
        await db.schema.createIndex(`engine_presence_by_${column}`).on('engine_presence').column(column).execute()
      }
    },
  },
  '003-expand-switches-and-lesson-codes': {
    async up(db) {
      await table(db, 'engine_switch', ['switch_name', 'network', 'room', 'switched_by'])
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('engine_switch_key', ['switch_name', 'network'])
        .execute()
      await table(db, 'engine_lesson_code', ['id', 'rule_name', 'code_hash', 'created_by'])
        .addColumn('code_format', 'integer', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('engine_lesson_code_key', ['id'])
        .execute()
      await db.schema.alterTable('engine_session').addColumn('lesson_code', 'text').execute()
    },
  },
  // A table of their own: an older engine, which runs side by side with this one, would open these hosts for everyone.
  '004-expand-scoped-permissions': {
    async up(db) {
      const scope = ['client_network', 'room_name', 'user_name', 'group_name', 'despite']
      const empty = table(db, 'engine_scoped_permission', ['id', 'host', 'permitted_by'])
        .addColumn('below', 'integer', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('engine_scoped_permission_key', ['id'])
      await scope.reduce((builder, column) => builder.addColumn(column, 'text'), empty).execute()
    },
  },
  // Part of the journal that is here, so that a row is committed with what it reports.
  '005-expand-events': {
    async up(db) {
      const known = ['outcome', 'reference', 'rule_name', 'host', 'client', 'user_name', 'group_name', 'room_name']
      const empty = table(db, 'engine_event', ['id', 'event'])
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('ended', 'integer')
        .addColumn('expires_at', 'bigint')
        .addColumn('key_id', 'integer')
        .addPrimaryKeyConstraint('engine_event_key', ['id'])
      await [...known, 'switch_name', 'lesson_code', 'acted_by', 'despite']
        .reduce((builder, column) => builder.addColumn(column, 'text'), empty)
        .execute()
      for (const column of ['at', 'reference']) {
        await db.schema.createIndex(`engine_event_by_${column}`).on('engine_event').column(column).execute()
      }
      const isPlain = sql<boolean>`key_id is null`
      await db.schema.createIndex('engine_event_by_plain').on('engine_event').column('at').where(isPlain).execute()
    },
  },
  '006-expand-people': {
    async up(db) {
      await db.schema
        .alterTable('engine_revision')
        .addColumn('reread_before', 'bigint', (column) => column.notNull().defaultTo(0))
        .execute()
      for (const column of ['client', 'user_name']) {
        await db.schema
          .createIndex(`engine_event_by_${column}`)
          .on('engine_event')
          .column(column)
          .where(sql<boolean>`${sql.ref(column)} is not null`)
          .execute()
      }
    },
  },
}

/** @param columns of text */
function table<Name extends string>(
  db: Kysely<unknown>,
  name: Name,
  columns: readonly string[],
): CreateTableBuilder<Name, string> {
  return columns.reduce<CreateTableBuilder<Name, string>>(
    (builder, column) => builder.addColumn(column, 'text', (text) => text.notNull()),
    db.schema.createTable(name),
  )
}
