// Permissions for some, and despite a switch: their scope is kept, follows to other engines, and never gets lost on the way.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseAddressRange } from '../../../src/network/address-range.ts'
import { databases, query } from '../../support/databases.ts'
import { until } from '../../support/until.ts'
import { HOUR, movableClock, openEngine } from './fixture.ts'

const HOST = { host: 'casino.example', below: false, by: 'Ms Rossi', milliseconds: HOUR }
const range = (text: string) => parseAddressRange(text) ?? assert.fail(text)
const SCOPES = [
  { client: range('192.168.12.7/24') },
  { room: '12' },
  { user: 'anna' },
  { group: 'staff' },
  { despite: 'exam' },
  { client: range('2001:DB8:0::/48'), user: 'anna', group: 'staff', despite: 'exam' },
]

for (const { name, skip, create } of databases) {
  describe(`permissions for some, ${name}`, { skip }, () => {
    test('every part of the scope survives a restart, reaches other engines, and ends with the permission', async (t) => {
      const location = await create(t)
      const [one, other] = [await openEngine(t, location), await openEngine(t, location)]
      const permitted = []
      for (const scope of [{}, ...SCOPES]) permitted.push((await one.permit({ ...HOST, ...scope })) ?? assert.fail())
      const shown = permitted.map(({ client, room, user, group, despite }) => [
        client?.text,
        room,
        user,
        group,
        despite,
      ])
      assert.deepEqual(shown, [
        [undefined, undefined, undefined, undefined, undefined],
        ['192.168.12.0/24', undefined, undefined, undefined, undefined],
        [undefined, '12', undefined, undefined, undefined],
        [undefined, undefined, 'anna', undefined, undefined],
        [undefined, undefined, undefined, 'staff', undefined],
        [undefined, undefined, undefined, undefined, 'exam'],
        ['2001:db8::/48', undefined, 'anna', 'staff', 'exam'],
      ])
      const inOrder = (found: readonly { id: string }[]) => found.toSorted((a, b) => (a.id < b.id ? -1 : 1))
      await until(() => other.permissionsFor('casino.example').length === permitted.length, 1)
      assert.deepEqual(inOrder(other.permissionsFor('casino.example')), permitted)
      const restarted = await openEngine(t, location)
      assert.deepEqual(inOrder(restarted.permissionsFor('casino.example')), permitted)
      assert.deepEqual(inOrder(await restarted.permissions()), permitted)

      for (const { id } of permitted) assert.equal(await other.revoke(id), true)
      await until(() => one.permissionsFor('casino.example').length === 0, 1)
      assert.equal(await other.revoke(String(permitted[1]?.id)), false)
    })

    test('an engine of the version before, which reads the old table alone, opens no host for everyone', async (t) => {
      const location = await create(t)
      const state = await openEngine(t, location)
      for (const scope of SCOPES) await state.permit({ ...HOST, ...scope })
      assert.deepEqual(await query(location, 'select * from engine_permission'), [])
    })

    test('a network that cannot be read opens nothing', async (t) => {
      const location = await create(t)
      const state = await openEngine(t, location)
      const { id } = (await state.permit({ ...HOST, client: range('192.168.12.0/24') })) ?? assert.fail()
      for (const text of ['', 'anywhere', '192.168.12.0/33']) {
        await query(location, `update engine_scoped_permission set client_network = '${text}' where id = '${id}'`)
        await query(location, 'update engine_revision set revision = revision + 1')
        await state.sync()
        assert.deepEqual(state.permissionsFor('casino.example'), [], text)
      }
    })

    test('what has expired is deleted; 10,000 in all', async (t) => {
      const location = await create(t)
      const { clock, pass } = await movableClock(location)
      const state = await openEngine(t, location, { clock })
      await state.permit({ ...HOST, user: 'anna', milliseconds: 1_000 })
      await state.permit({ ...HOST, user: 'ben' })
      await pass(2_000)
      assert.deepEqual(
        state.permissionsFor('casino.example').map(({ user }) => user),
        ['ben'],
      )
      await state.prune()
      assert.equal((await query(location, 'select * from engine_scoped_permission')).length, 1)
      const rows = Array.from({ length: 9_998 }, (_, at) => `('${at}', 'x.example', 'x', 0, 1, ${clock() + HOUR})`)
      await query(
        location,
        `insert into engine_permission (id, host, permitted_by, below, created_at, expires_at) values ${rows}`,
      )
      assert.notEqual(await state.permit({ ...HOST, user: 'last' }), undefined)
      assert.equal(await state.permit({ ...HOST, user: 'another' }), undefined)
      assert.equal(await state.permit(HOST), undefined)
    })
  })
}
