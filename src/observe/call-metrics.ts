/**
 * Counts calls. The metrics of a call are grouped in one object per endpoint, model and channel,
 * found by a single lookup, because counting must take far less than a microsecond.
 */
import { attemptErrorClass } from '../services/channels/channel-outcomes.ts';
import type { ChannelTypeLookup } from './channel-labels.ts';
import type { MetricRegistry } from './metric-registry.ts';
import {
  type CallOutcome,
  callOutcomeOf,
  NO_OP_OBSERVER,
  type ObservedAttempt,
  type ObservedChannel,
  type ObservedEnd,
  type ObservedTask,
  type Observer,
  type RefusedCall,
} from './observer.ts';
import type { NumberCell } from './series.ts';

/** Further names are counted together as `other`. */
export const MAX_MODELS = 200;
export const MAX_CHANNELS = 200;
const OTHER = 'other';

type Recorder = (value: number) => void;

interface ModelMetrics {
  readonly outcomes: Map<CallOutcome, NumberCell>;
  readonly name: string;
  readonly units: NumberCell;
  /** The part of the units above the allowed amount. */
  readonly overAllowed: NumberCell;
  readonly firstToken: Recorder;
  readonly reasoning: NumberCell;
  readonly tokenCells: readonly (readonly [key: TokenKey, cell: NumberCell])[];
}

type TokenKey = (typeof TOKEN_KINDS)[number][0];

/** Keys of `Usage` and the token kind they count as. */
const TOKEN_KINDS = [
  ['input', 'input'],
  ['cacheRead', 'cache_read'],
  ['cacheWrite', 'cache_write'],
  ['cacheWrite5m', 'cache_write'],
  ['cacheWrite1h', 'cache_write'],
  ['audioInput', 'audio_input'],
  ['imageInput', 'image_input'],
  ['output', 'output'],
  ['audioOutput', 'audio_output'],
  ['imageOutput', 'image_output'],
] as const;

interface ChannelMetrics {
  readonly labels: readonly [channel: string, type: string];
  readonly results: Map<string, NumberCell>;
  readonly duration: Recorder;
  readonly units: NumberCell;
}

/** `lookupName` removes suffixes from a model name that do not make it a different model. */
export function callMetrics(
  figures: MetricRegistry,
  channels: ChannelTypeLookup,
  lookupName: (model: string) => string,
): Observer {
  const counts = new CallCounts(figures, channels);
  const streams = figures.number('gateway_streams_in_flight').labelled();
  // A name that no channel serves comes from the client alone and must not become a label.
  const modelOf = (channel: object | undefined, model: string) =>
    counts.model(channel === undefined ? OTHER : lookupName(model));
  return {
    ...NO_OP_OBSERVER,
    attemptsEnded(end) {
      counts.attempts(end.call.attempts);
    },
    callEnded(end, units, atMs) {
      const outcome = callOutcomeOf(end);
      if (outcome === undefined) return;
      const { call } = end;
      const { incoming, intent } = call;
      const { channel } = call.route;
      const model = modelOf(channel, intent.model);
      counts.call(incoming, model, outcome);
      if (outcome === 'refused') return;
      const tookMs = Math.max(0, atMs - incoming.receivedAtMs);
      counts.duration(incoming.endpoint, intent.stream)(tookMs / 1000);
      countUsage(model, end);
      if (units > 0) counts.charge(model, channel, units);
      model.overAllowed.value += Math.max(0, units - (call.reservation.allowedUnits ?? units));
    },
    callRefused(call) {
      counts.call(call, counts.model(OTHER), 'refused');
    },
    taskEnded(task, isAccepted, units) {
      const { channel, plan, attempts } = task;
      counts.attempts(attempts);
      const model = modelOf(channel, plan.model);
      counts.call(TASK_CALL, model, taskOutcome(task, isAccepted));
      if (isAccepted) counts.charge(model, channel, units);
    },
    streamStarted() {
      streams.value += 1;
    },
    streamEnded() {
      streams.value -= 1;
    },
  };
}

const TASK_CALL: RefusedCall = { endpoint: 'tasks', dialect: 'tasks' };

class CallCounts {
  readonly #figures: MetricRegistry;
  readonly #channels: ChannelTypeLookup;
  readonly #retries: NumberCell;
  readonly #calls = new Map<string, NumberCell>();
  readonly #durations = new Map<string, Recorder>();
  readonly #models = new Map<string, ModelMetrics>();
  readonly #byChannel = new Map<number, ChannelMetrics>();

  constructor(figures: MetricRegistry, channels: ChannelTypeLookup) {
    this.#figures = figures;
    this.#channels = channels;
    this.#retries = figures.number('gateway_retries_total').labelled();
  }

  call(
    { endpoint, dialect = 'chat' }: RefusedCall,
    model: ModelMetrics,
    outcome: CallOutcome,
  ): void {
    const key = `${endpoint} ${dialect} ${outcome}`;
    increment(this.#calls, key, () =>
      this.#figures.number('gateway_calls_total').labelled(endpoint, dialect, outcome),
    );
    increment(model.outcomes, outcome, () =>
      this.#figures.number('gateway_model_calls_total').labelled(model.name, outcome),
    );
  }

  attempts(attempts: readonly ObservedAttempt[]): void {
    for (const attempt of attempts) {
      const channel = this.#channel(attempt.channel_id);
      const result = resultOf(attempt);
      increment(channel.results, result, () =>
        this.#figures.number('gateway_attempts_total').labelled(...channel.labels, result),
      );
      channel.duration(attempt.duration_ms / 1000);
    }
    if (attempts.length > 1) this.#retries.value += attempts.length - 1;
  }

  charge(model: ModelMetrics, channel: ObservedChannel | undefined, units: number): void {
    model.units.value += units;
    if (channel !== undefined) this.#channel(channel.id).units.value += units;
  }

  duration(endpoint: string, isStream: boolean): Recorder {
    const key = isStream ? endpoint : `${endpoint} whole`;
    const known = this.#durations.get(key);
    if (known !== undefined) return known;
    const labels = [endpoint, String(isStream)];
    const meter = this.#figures.recorder('gateway_call_duration_seconds', ...labels);
    this.#durations.set(key, meter);
    return meter;
  }

  model(name: string): ModelMetrics {
    const known = this.#models.get(name);
    if (known !== undefined) return known;
    if (this.#models.size >= MAX_MODELS && name !== OTHER) return this.model(OTHER);
    const made = modelMetrics(this.#figures, name);
    this.#models.set(name, made);
    return made;
  }

  #channel(id: number): ChannelMetrics {
    const known = this.#byChannel.get(id);
    if (known !== undefined) return known;
    if (this.#byChannel.size >= MAX_CHANNELS && id !== 0) return this.#channel(0);
    const labels = id === 0 ? OTHER_CHANNEL : ([`${id}`, this.#channels.typeOf(id)] as const);
    const made = channelMetrics(this.#figures, labels);
    this.#byChannel.set(id, made);
    return made;
  }
}

const OTHER_CHANNEL = [OTHER, OTHER] as const;

function increment<K>(cells: Map<K, NumberCell>, key: K, make: () => NumberCell): void {
  let cell = cells.get(key);
  if (cell === undefined) {
    cell = make();
    cells.set(key, cell);
  }
  cell.value += 1;
}

function taskOutcome({ attempts }: ObservedTask, isAccepted: boolean): CallOutcome {
  if (isAccepted) return 'answered';
  return attempts.length > 0 ? 'failed' : 'refused';
}

function countUsage(model: ModelMetrics, end: ObservedEnd): void {
  const { usage, firstContentAtMs, call } = end;
  const { incoming } = call;
  if (firstContentAtMs > 0)
    model.firstToken(Math.max(0, firstContentAtMs - incoming.receivedAtMs) / 1000);
  if (usage === undefined || end.ending === 'failed') return;
  for (const [key, cell] of model.tokenCells) cell.value += usage[key];
  model.reasoning.value += usage.reasoning;
}

function modelMetrics(figures: MetricRegistry, name: string): ModelMetrics {
  const tokens = figures.number('gateway_tokens_total');
  return {
    name,
    outcomes: new Map(),
    units: figures.number('gateway_quota_charged_total').labelled(name),
    overAllowed: figures.number('gateway_quota_over_allowed_total').labelled(name),
    firstToken: figures.recorder('gateway_first_token_seconds', name),
    reasoning: figures.number('gateway_reasoning_tokens_total').labelled(name),
    tokenCells: TOKEN_KINDS.map(([key, kind]) => [key, tokens.labelled(name, kind)]),
  };
}

function channelMetrics(
  figures: MetricRegistry,
  labels: readonly [string, string],
): ChannelMetrics {
  return {
    labels,
    results: new Map(),
    duration: figures.recorder('gateway_attempt_duration_seconds', ...labels),
    units: figures.number('gateway_channel_quota_charged_total').labelled(...labels),
  };
}

/** `ok`, or the failure class, as in a channel's history. */
function resultOf({ status, code }: ObservedAttempt): string {
  return code === '' ? 'ok' : attemptErrorClass(status, code);
}
