/**
 * The ledger of `floor.mjs`: what waits is written in one SQLite transaction and resolves after its
 * commit.
 */
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import sqlite3 from 'sqlite3';

export const PRICE = { model: 0.075, completion: 4, cache: 0.5, group: 1 };
const CHANNEL = { id: 1, name: 'mock' };
const GRANTED = 1_000_000_000_000;
/** As in the gateway: under load the next commit waits for more operations. */
const BUSY_BATCH = 4;
const GATHER_MS = 3;

const SCHEMA = `pragma journal_mode=wal; pragma synchronous=full;
create table users(id integer primary key, granted int, quota int, held int, used int);
create table tokens(id integer primary key, used int);
create table channels(id integer primary key, used int);
create table holds(request text primary key, user_id int, units int, expires_at int);
create table ledger(id integer primary key, key text unique, cause text, user_id int,
  token_id int, channel_id int, user_units int, channel_units int, detail text, created_at int);
create table logs(id integer primary key, created_at int, type int, user_id int, token_id int,
  channel_id int, username text, token_name text, model text, quota int, prompt int,
  completion int, ms int, request text, other text);
create index ledger_user on ledger(user_id, created_at);
create index logs_time on logs(created_at);
create index logs_user on logs(user_id, created_at);
create index logs_token on logs(token_id, created_at);
create index logs_model on logs(model, created_at);
create index logs_channel on logs(channel_id, created_at);
create index logs_request on logs(request);
insert into channels values (1, 0);`;

/** Returns `submit(kind, call)`; false for a hold that the balance does not cover. */
export async function openLedger(folder, { accounts, withHolds }) {
  const db = new sqlite3.Database(path.join(folder, 'floor.sqlite'));
  const exec = (sql) =>
    new Promise((resolve, reject) => {
      db.exec(sql, (error) => (error === null ? resolve() : reject(error)));
    });
  const query = (sql) =>
    new Promise((resolve, reject) => {
      db.all(sql, (error, rows) => (error === null ? resolve(rows) : reject(error)));
    });
  await exec(SCHEMA);
  for (let id = 1; id <= accounts; id += 1)
    await exec(`insert into users values (${id}, ${GRANTED}, ${GRANTED}, 0, 0);
      insert into tokens values (${id}, 0)`);
  let waiting = [];
  let isWriting = false;

  async function writeAll() {
    isWriting = true;
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const covered = await commit(batch);
        for (const { kind, call, resolve } of batch)
          resolve(kind === 'end' || covered.has(call.caller.id));
      } catch (error) {
        await exec('rollback').catch(() => undefined);
        for (const { reject } of batch) reject(error);
      }
      if (batch.length >= BUSY_BATCH && waiting.length < batch.length) await pause(GATHER_MS);
    }
    isWriting = false;
  }

  /** Returns the accounts whose holds are covered. */
  async function commit(batch) {
    const ended = batch.filter(({ kind }) => kind === 'end').map(({ call }) => call);
    const held = batch.filter(({ kind }) => kind === 'hold').map(({ call }) => call);
    const begin = ['begin immediate', ...settlement(ended, withHolds)];
    if (held.length === 0) {
      await exec([...begin, 'commit'].join(';'));
      return new Set();
    }
    await exec(begin.join(';'));
    const rows = await query(`with v(id, units) as (values ${sums(held, (call) => call.held)})
      update users as u set held = u.held + v.units from v
      where u.id = v.id and u.quota - u.held >= v.units returning id`);
    const covered = new Set(rows.map(({ id }) => id));
    const holds = held.filter(({ caller }) => covered.has(caller.id));
    await exec([...inserted('holds', holds.map(holdRow)), 'commit'].join(';'));
    return covered;
  }

  return (kind, call) =>
    new Promise((resolve, reject) => {
      waiting.push({ kind, call, resolve, reject });
      if (!isWriting) void writeAll();
    });
}

function settlement(calls, withHolds) {
  if (calls.length === 0) return [];
  const charged = calls.filter(({ charge }) => charge !== undefined);
  const units = (call) => call.charge?.units ?? 0;
  const total = calls.reduce((sum, call) => sum + units(call), 0);
  const ids = calls.map(({ id }) => text(id));
  return [
    ...inserted('ledger', charged.map(ledgerRow)),
    ...inserted('logs', charged.map(logRow)),
    `with v(id, units, held) as (values ${sums(calls, units, (call) => call.held)})
     update users as u set quota = u.quota - v.units, used = u.used + v.units,
     held = u.held - v.held from v where u.id = v.id`,
    `with v(id, units) as (values ${sums(calls, units)})
     update tokens as t set used = t.used + v.units from v where t.id = v.id`,
    `update channels set used = used + ${total} where id = 1`,
    ...(withHolds ? [`delete from holds where request in (${ids})`] : []),
  ];
}

/** Rows of an account and its sums. */
function sums(calls, ...amounts) {
  const byAccount = new Map();
  for (const call of calls) {
    const row = byAccount.get(call.caller.id) ?? amounts.map(() => 0);
    for (const [at, amount] of amounts.entries()) row[at] += amount(call);
    byAccount.set(call.caller.id, row);
  }
  return [...byAccount].map(([id, row]) => `(${[id, ...row]})`);
}

function inserted(table, rows) {
  if (rows.length === 0) return [];
  const values = rows.map((row) => `(${Object.values(row).map(literal)})`);
  return [`insert into ${table} (${Object.keys(rows[0])}) values ${values}`];
}

function literal(value) {
  return typeof value === 'number' ? value : text(value);
}

function text(value) {
  return `'${value.replaceAll("'", "''")}'`;
}

function holdRow({ id, caller, held, startedAtMs }) {
  const expiresAt = Math.floor(startedAtMs / 1000) + 6 * 3600;
  return { request: id, user_id: caller.id, units: held, expires_at: expiresAt };
}

function ledgerRow({ id, caller, model, held, startedAtMs, charge }) {
  return {
    key: `call:${id}`,
    cause: 'charge',
    user_id: caller.id,
    token_id: caller.id,
    channel_id: CHANNEL.id,
    user_units: -charge.units,
    channel_units: charge.units,
    detail: JSON.stringify({ model, ending: 'answered', exact_units: charge.exact, held }),
    created_at: Math.floor(startedAtMs / 1000),
  };
}

function logRow({ id, caller, model, held, startedAtMs, charge }) {
  const ms = Date.now() - startedAtMs;
  const attempt = { channel: CHANNEL.id, name: CHANNEL.name, status: 200, ms };
  const other = { ...PRICE, held, exact_units: charge.exact, attempts: [attempt] };
  return {
    created_at: Math.floor(startedAtMs / 1000),
    type: 2,
    user_id: caller.id,
    token_id: caller.id,
    channel_id: CHANNEL.id,
    username: caller.name,
    token_name: 'floor',
    model,
    quota: charge.units,
    prompt: charge.input,
    completion: charge.output,
    ms,
    request: id,
    other: JSON.stringify(other),
  };
}
