/**
 * Outcomes of the latest calls and tests of each channel. Calls only append to memory; the buffer
 * is written periodically in one statement, limited to the rows that are shown. A killed process
 * loses a few seconds of outcomes, which is acceptable as no decision depends on them.
 */
import type { Service, Visit } from '../../api/call.ts';
import type { channelHealthCalls } from '../../api/channels/channel-probe.ts';
import type { Context } from '../../context.ts';
import type { LoggedAttempt } from '../../domain/logs/short-facts.ts';
import { storableText } from '../../domain/text/storable-text.ts';
import { storedText } from '../../locales/event-text.ts';
import {
  type AttemptErrorClass,
  insertOutcomes,
  latestOutcomes,
  type OutcomeRow,
  pruneOutcomes,
} from '../../store/tables/channel-outcomes-table.ts';
import { channelById } from '../../store/tables/channels-table.ts';
import { eventAudience } from '../logs/audit.ts';
import { requireChannel } from './channel-fields.ts';

type Calls = Service<typeof channelHealthCalls, Context>;

/** Number of outcomes shown per channel. */
export const SHOWN_OUTCOMES = 30;
const FLUSH_EVERY_MS = 5_000;
const MESSAGE_LENGTH = 250;

export const one: Calls['one'] = async (ctx, _actor, { id }, visit) => {
  requireChannel(await channelById(ctx.reads, id), id);
  return { channel_id: id, outcomes: await wordedOutcomes(ctx, [id], visit) };
};

/** Channels that do not exist have no outcomes, like those without calls. */
export const many: Calls['many'] = async (ctx, _actor, { ids }, visit) => {
  const channelIds = ids.split(',').map(Number);
  const found = await wordedOutcomes(ctx, channelIds, visit);
  return channelIds.map((id) => ({
    channel_id: id,
    outcomes: found.filter((outcome) => outcome.channel_id === id),
  }));
};

async function wordedOutcomes(ctx: Context, channelIds: readonly number[], { language }: Visit) {
  const outcomes = await latestOutcomes(ctx.reads, channelIds, SHOWN_OUTCOMES);
  const reader = eventAudience(ctx, language);
  return outcomes.map((row) => ({ ...row, message: storedText(row.message, reader) }));
}

export interface OutcomeBuffer {
  /** Appends to memory without touching the database. */
  add(outcome: OutcomeRow): void;
  /** Writes the outcomes recorded so far. */
  flush(): Promise<void>;
  /** Stops the periodic writes and flushes the buffer. */
  close(): Promise<void>;
}

export function createOutcomeBuffer(ctx: Pick<Context, 'db' | 'ledger' | 'log'>): OutcomeBuffer {
  let buffered = new Map<number, OutcomeRow[]>();
  /** Rows written per channel since its last pruning. */
  const written = new Map<number, number>();
  let busy: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    const taken = buffered;
    buffered = new Map();
    if (taken.size === 0) return;
    await insertOutcomes(ctx.db, [...taken.values()].flat());
    for (const [id, rows] of taken) {
      const since = (written.get(id) ?? 0) + rows.length;
      if (since >= SHOWN_OUTCOMES) await pruneOutcomes(ctx.db, id, SHOWN_OUTCOMES);
      written.set(id, since >= SHOWN_OUTCOMES ? 0 : since);
    }
  };
  const flush = (): Promise<void> => {
    busy = busy.then(write).catch((error: Error) => {
      ctx.ledger.writes.failed(error);
      ctx.log.warn({ err: error }, 'outcomes of channels could not be written');
    });
    return busy;
  };
  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS);
  timer.unref();

  return {
    add(outcome) {
      const rows = buffered.get(outcome.channel_id);
      if (rows === undefined) buffered.set(outcome.channel_id, [outcome]);
      else {
        if (rows.length === SHOWN_OUTCOMES) rows.shift();
        rows.push(outcome);
      }
    },
    flush,
    close() {
      clearInterval(timer);
      return flush();
    },
  };
}

/** Writes the outcome of a channel test at once, as the user is waiting for it. */
export async function saveTestOutcome(
  ctx: Context,
  outcome: Omit<OutcomeRow, 'source' | 'at_ms'>,
): Promise<void> {
  const message = fitting(ctx, outcome.message);
  await insertOutcomes(ctx.db, [{ ...outcome, message, source: 'test', at_ms: ctx.now() }]);
  await pruneOutcomes(ctx.db, outcome.channel_id, SHOWN_OUTCOMES);
}

/** A message that fits its column. A cut event could not be worded any more. */
function fitting(ctx: Pick<Context, 'options'>, stored: string): string {
  const text =
    stored.length > MESSAGE_LENGTH ? storedText(stored, eventAudience(ctx, 'en')) : stored;
  return storableText(text.slice(0, MESSAGE_LENGTH));
}

const CLASS_OF_CODE: Readonly<Record<string, AttemptErrorClass>> = {
  upstream_timeout: 'timeout',
  do_request_failed: 'network',
  upstream_failed: 'network',
  upstream_broke_off: 'network',
  upstream_stream_interrupted: 'network',
  bad_response_body: 'answer',
  upstream_garbled: 'answer',
  empty_response: 'answer',
  upstream_empty: 'answer',
  upstream_too_large: 'answer',
  upstream_response_too_large: 'answer',
  slow: 'slow',
  channel_unusable: 'request',
  channel_misconfigured: 'request',
};

const KEY_STATUSES = new Set([401, 402, 403]);

/** Classifies a failed attempt: by the gateway's error code if known, else by the HTTP status. */
export function attemptErrorClass(status: number, code: string): AttemptErrorClass {
  const known = CLASS_OF_CODE[code];
  if (known !== undefined) return known;
  if (KEY_STATUSES.has(status)) return 'key';
  if (status === 429) return 'limit';
  if (status === 408 || status === 504) return 'timeout';
  return status >= 500 ? 'server' : status === 200 ? 'answer' : 'request';
}

/** Client errors do not indicate a problem of the channel. */
const CLIENT_STATUSES = new Set([400, 413, 422]);

/** The outcome of a call attempt; undefined when it is irrelevant to the channel's health. */
export function attemptOutcome(
  ctx: Pick<Context, 'options'>,
  attempt: Omit<LoggedAttempt, 'channel_name' | 'key_id' | 'affinity'>,
  { isStream, atMs }: { readonly isStream: boolean; readonly atMs: number },
): OutcomeRow | undefined {
  const { reason, message } = attempt;
  const ok = attempt.code === '';
  if (!ok && CLIENT_STATUSES.has(attempt.status)) return undefined;
  return {
    channel_id: attempt.channel_id,
    test_run_id: 0,
    at_ms: atMs,
    source: 'call',
    ok,
    status: attempt.status,
    latency_ms: attempt.duration_ms,
    first_token_ms: ok && isStream ? attempt.duration_ms : 0,
    error_class: ok ? '' : attemptErrorClass(attempt.status, attempt.code),
    model: storableText(attempt.upstream_model.slice(0, MESSAGE_LENGTH)),
    message: ok ? '' : fitting(ctx, reason === undefined ? message : JSON.stringify(reason)),
  };
}
