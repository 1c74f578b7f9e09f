// The schema migrations of the journal. The names begin with `journal_`: ledger and state may be in the same database.
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migrations: Record<string, Migration> = {
  '001-expand-journal': {
    async up(db) {
      await db.schema
        .createTable('journal_stop')
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('reference', 'text', (column) => column.notNull())
        .addColumn('verdict', 'text', (column) => column.notNull())
        .addColumn('rule_name', 'text', (column) => column.notNull())
        .addColumn('category', 'text')
        .addColumn('list_name', 'text')
        .addColumn('entry', 'text')
        .addColumn('host', 'text')
        .addColumn('client', 'text', (column) => column.notNull())
        .addColumn('user_name', 'text')
        .addColumn('group_name', 'text')
        .addColumn('key_id', 'integer')
        .execute()
      await db.schema.createIndex('journal_stop_by_at').on('journal_stop').column('at').execute()
      await db.schema.createIndex('journal_stop_by_client').on('journal_stop').columns(['client', 'at']).execute()
      await db.schema
        .createIndex('journal_stop_by_reference')
        .on('journal_stop')
        .expression(sql`lower(substr(reference, 1, 8))`)
        .execute()
      await db.schema
        .createIndex('journal_stop_by_user')
        .on('journal_stop')
        .columns(['user_name', 'at'])
        .where(sql<boolean>`user_name is not null`)
        .execute()
      // What is to become pseudonyms.
      await db.schema
        .createIndex('journal_stop_by_plain')
        .on('journal_stop')
        .column('at')
        .where(sql<boolean>`key_id is null`)
        .execute()
      await db.schema
        .createTable('journal_total')
        .addColumn('hour', 'bigint', (column) => column.notNull())
        .addColumn('verdict', 'text', (column) => column.notNull())
        .addColumn('rule_name', 'text', (column) => column.notNull())
        .addColumn('category', 'text', (column) => column.notNull())
        .addColumn('list_name', 'text', (column) => column.notNull())
        .addColumn('host', 'text', (column) => column.notNull())
        .addColumn('requests', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('journal_total_key', [
          ...(['hour', 'verdict', 'rule_name', 'category', 'list_name', 'host'] as const),
        ])
        .execute()
      await db.schema
        .createTable('journal_key')
        .addColumn('id', 'integer', (column) => column.notNull().primaryKey())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .execute()
    },
  },
}
