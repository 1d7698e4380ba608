/**
 * The ledger of `floor.mjs`: what waits is written in one SQLite transaction and resolves after its
 * commit. The tables, columns and sums are those of the gateway.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import sqlite3 from 'sqlite3';

const MAX_BATCH = 256;
/** As in the gateway: under load the next commit waits for more operations. */
const BUSY_BATCH = 4;
const GATHER_MS = 3;
const HOLD_SEC = 6 * 3600;
const NODE = randomUUID();

const nowSec = () => Math.floor(Date.now() / 1000);
const total = (list, amountOf) => list.reduce((sum, entry) => sum + amountOf(entry), 0);

export async function openBooks(file, withHolds) {
  const writer = new sqlite3.Database(file);
  const query = queryOf(writer);
  const exec = (sql) =>
    new Promise((resolve, reject) => {
      writer.exec(sql, (error) => (error === null ? resolve() : reject(error)));
    });
  await exec(
    'PRAGMA busy_timeout=5000; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON',
  );
  const waiting = [];
  let isWriting = false;

  async function writeAll() {
    isWriting = true;
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH);
      try {
        const done = await commit(batch);
        for (const operation of batch) operation.resolve(done.has(operation));
      } catch (error) {
        await exec('ROLLBACK').catch(() => undefined);
        for (const operation of batch) operation.reject(error);
      }
      if (batch.length >= BUSY_BATCH && waiting.length < batch.length) await pause(GATHER_MS);
    }
    isWriting = false;
  }

  /** Returns the operations that took effect: a hold that the balance does not cover does not. */
  async function commit(batch) {
    const ends = batch.filter(({ kind }) => kind === 'end');
    const holds = batch.filter(({ kind }) => kind === 'hold');
    const begin = ['BEGIN IMMEDIATE', ...settlementSql(ends, withHolds)];
    if (holds.length === 0) {
      await exec([...begin, 'COMMIT'].join(';'));
      return new Set(ends);
    }
    await exec(begin.join(';'));
    const granted = await reserve(holds);
    const rows = granted.map(({ call }) => holdRow(call));
    await exec([...inserted('holds', rows), 'COMMIT'].join(';'));
    return new Set([...ends, ...granted]);
  }

  /** Per account as one sum; if the balance does not cover that, its holds one by one. */
  async function reserve(holds) {
    const byUser = grouped(holds, ({ call }) => call.caller.user_id);
    const whole = await covered([...byUser].map(([id, list]) => ({ id, list })));
    const granted = holds.filter(({ call }) => whole.has(call.caller.user_id));
    for (const [id, list] of byUser)
      if (!whole.has(id) && list.length > 1)
        for (const hold of list)
          if ((await covered([{ id, list: [hold] }])).size > 0) granted.push(hold);
    return granted;
  }

  async function covered(wishes) {
    const values = wishes.map(({ id, list }) => `(${id},${total(list, ({ call }) => call.held)})`);
    const rows = await query(`with v(id, units) as (values ${values})
      update users as t set held = t.held + v.units from v
      where t.id = v.id and t.quota - t.held >= v.units returning id`);
    return new Set(rows.map(({ id }) => id));
  }

  const submit = (operation) =>
    new Promise((resolve, reject) => {
      waiting.push({ ...operation, resolve, reject });
      if (!isWriting) void writeAll();
    });
  return {
    /** False if the balance does not cover `call.held`. */
    hold: (call) => submit({ kind: 'hold', call }),
    /** Releases the hold; with a `charge` (see `costOf`) posts it and writes the log entry. */
    end: (call, charge) => submit({ kind: 'end', call, charge }),
  };
}

export function queryOf(connection) {
  return (sql, values = []) =>
    new Promise((resolve, reject) => {
      connection.all(sql, values, (error, rows) =>
        error === null ? resolve(rows) : reject(error),
      );
    });
}

function settlementSql(ends, withHolds) {
  if (ends.length === 0) return [];
  const charged = ends.filter(({ charge }) => charge !== undefined);
  const ids = ends.map(({ call }) => literal(call.id));
  const spent = 'used_quota = t.used_quota + v.units';
  const ofUsers = `quota = t.quota - v.units, ${spent}, request_count = t.request_count + v.calls`;
  const ofTokens = `remain_quota = t.remain_quota - v.units, ${spent}`;
  return [
    ...inserted('ledger', charged.map(ledgerRow)),
    ...inserted('logs', charged.map(logRow)),
    withHolds
      ? added('users', `${ofUsers}, held = t.held - v.held`, ends, (call) => call.caller.user_id)
      : added('users', ofUsers, ends, (call) => call.caller.user_id),
    added('tokens', ofTokens, ends, (call) => call.caller.token_id),
    ...(withHolds ? [`delete from holds where request_id in (${ids})`] : []),
  ];
}

function added(table, sums, ends, idOf) {
  const rows = [...grouped(ends, ({ call }) => idOf(call))].map(([id, list]) => {
    const units = total(list, ({ charge }) => charge?.units ?? 0);
    const calls = total(list, ({ charge }) => (charge === undefined ? 0 : 1));
    return `(${id},${units},${calls},${total(list, ({ call }) => call.held)})`;
  });
  return `with v(id, units, calls, held) as (values ${rows})
    update ${table} as t set ${sums} from v where t.id = v.id`;
}

function inserted(table, rows) {
  if (rows.length === 0) return [];
  const columns = Object.keys(rows[0]).map((column) => `"${column}"`);
  const values = rows.map((row) => `(${Object.values(row).map(literal)})`);
  return [`insert into ${table} (${columns}) values ${values}`];
}

function literal(value) {
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

function grouped(list, idOf) {
  const groups = new Map();
  for (const entry of list) {
    const group = groups.get(idOf(entry));
    if (group === undefined) groups.set(idOf(entry), [entry]);
    else group.push(entry);
  }
  return groups;
}

function holdRow({ id, caller, held }) {
  return {
    request_id: id,
    user_id: caller.user_id,
    token_id: caller.token_id,
    user_units: held,
    token_units: 0,
    node: NODE,
    created_at: nowSec(),
    expires_at: nowSec() + HOLD_SEC,
  };
}

function ledgerRow({ call: { id, caller, channel, model, held }, charge }) {
  return {
    key: `call:${id}`,
    cause: 'charge',
    user_id: caller.user_id,
    token_id: caller.token_id,
    channel_id: channel.id,
    user_units: -charge.units,
    token_units: -charge.units,
    channel_units: charge.units,
    actor: '',
    detail: JSON.stringify({
      model,
      ending: 'answered',
      usage_source: charge.usage.source,
      exact_units: charge.exactUnits,
      held,
    }),
    created_at: nowSec(),
  };
}

function logRow({ call, charge: { usage, units, exactUnits } }) {
  const { id, caller, channel, model, price, held, isStream, startedAtMs, firstAtMs } = call;
  const tookMs = Date.now() - startedAtMs;
  const attempt = {
    channel_id: channel.id,
    channel_name: channel.name,
    key_id: channel.key_id,
    upstream_model: model,
    status: 200,
    code: '',
    message: '',
    duration_ms: tookMs,
  };
  const other = {
    group_ratio: price.group,
    price_name: model,
    price_rule: 'requested',
    model_price: -1,
    model_ratio: price.model,
    completion_ratio: price.completion,
    cache_ratio: price.cache,
    cache_creation_ratio: price.cacheCreation,
    cache_tokens: usage.cached,
    usage: { input: usage.input - usage.cached, output: usage.output },
    endpoint: 'chat',
    ending: 'answered',
    frt: firstAtMs - startedAtMs,
    held,
    exact_units: exactUnits,
    admin_info: { use_channel: [String(channel.id)], attempts: [attempt] },
  };
  return {
    request_id: id,
    user_id: caller.user_id,
    created_at: nowSec(),
    type: 2,
    content: '',
    username: caller.username,
    token_name: caller.token_name,
    model_name: model,
    quota: units,
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    use_time: Math.round(tookMs / 1000),
    use_time_ms: tookMs,
    first_token_ms: firstAtMs - startedAtMs,
    is_stream: isStream ? 1 : 0,
    channel_id: channel.id,
    token_id: caller.token_id,
    group: caller.group,
    client_ip: '',
    usage_source: usage.source,
    other: JSON.stringify(other),
  };
}
