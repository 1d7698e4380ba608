/**
 * Counts calls. The metrics of a call are grouped in one object per endpoint, model and channel,
 * found by a single lookup, because counting must take far less than a microsecond.
 */
import { errorClassOf } from '../services/channels/channel-outcomes.ts';
import type { ChannelTypes } from './channel-labels.ts';
import type { Figures } from './figures.ts';
import {
  NOTHING,
  type ObservedAttempt,
  type ObservedCall,
  type ObservedChannel,
  type ObservedTask,
  type Observer,
  type Outcome,
  outcomeOf,
  type RefusedCall,
} from './observer.ts';
import type { NumberCell } from './series.ts';

/** Further names are counted together as `other`. */
export const MAX_MODELS = 200;
export const MAX_CHANNELS = 200;
const OTHER = 'other';

type Meter = (value: number) => void;

interface ModelFigures {
  readonly outcomes: Map<Outcome, NumberCell>;
  readonly name: string;
  readonly units: NumberCell;
  /** The part of the units above the allowed amount. */
  readonly over: NumberCell;
  readonly firstToken: Meter;
  readonly reasoning: NumberCell;
  readonly kinds: readonly (readonly [key: TokenKey, cell: NumberCell])[];
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

interface ChannelFigures {
  readonly labels: readonly [channel: string, type: string];
  readonly results: Map<string, NumberCell>;
  readonly duration: Meter;
  readonly units: NumberCell;
}

/** `lookupName` removes suffixes from a model name that do not make it a different model. */
export function callFigures(
  figures: Figures,
  channels: ChannelTypes,
  lookupName: (model: string) => string,
): Observer {
  const counts = new CallCounts(figures, channels);
  const streams = figures.number('gateway_streams_in_flight').with();
  // A name that no channel serves comes from the client alone and must not become a label.
  const modelOf = (channel: object | undefined, model: string) =>
    counts.model(channel === undefined ? OTHER : lookupName(model));
  return {
    ...NOTHING,
    attempted(call) {
      counts.attempts(call.attempts);
    },
    callEnded(call, units, atMs) {
      const outcome = outcomeOf(call);
      if (outcome === undefined) return;
      const { incoming, intent, channel } = call;
      const model = modelOf(channel, intent.model);
      counts.call(incoming, model, outcome);
      if (outcome === 'refused') return;
      const tookMs = Math.max(0, atMs - incoming.receivedAtMs);
      counts.duration(incoming.endpoint, intent.stream)(tookMs / 1000);
      countContent(model, call);
      if (units > 0) counts.charge(model, channel, units);
      model.over.value += Math.max(0, units - (call.allowedUnits ?? units));
    },
    callRefused(call) {
      counts.call(call, counts.model(OTHER), 'refused');
    },
    taskEnded(task, isTaken, units) {
      const { channel, plan, attempts } = task;
      counts.attempts(attempts);
      const model = modelOf(channel, plan.model);
      counts.call(TASK, model, taskOutcome(task, isTaken));
      if (isTaken) counts.charge(model, channel, units);
    },
    streamBegan() {
      streams.value += 1;
    },
    streamEnded() {
      streams.value -= 1;
    },
  };
}

const TASK: RefusedCall = { endpoint: 'tasks', dialect: 'tasks' };

class CallCounts {
  readonly #figures: Figures;
  readonly #channels: ChannelTypes;
  readonly #retries: NumberCell;
  readonly #calls = new Map<string, NumberCell>();
  readonly #durations = new Map<string, Meter>();
  readonly #models = new Map<string, ModelFigures>();
  readonly #byChannel = new Map<number, ChannelFigures>();

  constructor(figures: Figures, channels: ChannelTypes) {
    this.#figures = figures;
    this.#channels = channels;
    this.#retries = figures.number('gateway_retries_total').with();
  }

  call({ endpoint, dialect = 'chat' }: RefusedCall, model: ModelFigures, outcome: Outcome): void {
    const key = `${endpoint} ${dialect} ${outcome}`;
    add(this.#calls, key, () =>
      this.#figures.number('gateway_calls_total').with(endpoint, dialect, outcome),
    );
    add(model.outcomes, outcome, () =>
      this.#figures.number('gateway_model_calls_total').with(model.name, outcome),
    );
  }

  attempts(attempts: readonly ObservedAttempt[]): void {
    for (const attempt of attempts) {
      const channel = this.#channel(attempt.channel_id);
      const result = resultOf(attempt);
      add(channel.results, result, () =>
        this.#figures.number('gateway_attempts_total').with(...channel.labels, result),
      );
      channel.duration(attempt.duration_ms / 1000);
    }
    if (attempts.length > 1) this.#retries.value += attempts.length - 1;
  }

  charge(model: ModelFigures, channel: ObservedChannel | undefined, units: number): void {
    model.units.value += units;
    if (channel !== undefined) this.#channel(channel.id).units.value += units;
  }

  duration(endpoint: string, isStream: boolean): Meter {
    const key = isStream ? endpoint : `${endpoint} whole`;
    const known = this.#durations.get(key);
    if (known !== undefined) return known;
    const labels = [endpoint, String(isStream)];
    const meter = this.#figures.meter('gateway_call_duration_seconds', ...labels);
    this.#durations.set(key, meter);
    return meter;
  }

  model(name: string): ModelFigures {
    const known = this.#models.get(name);
    if (known !== undefined) return known;
    if (this.#models.size >= MAX_MODELS && name !== OTHER) return this.model(OTHER);
    const made = modelFigures(this.#figures, name);
    this.#models.set(name, made);
    return made;
  }

  #channel(id: number): ChannelFigures {
    const known = this.#byChannel.get(id);
    if (known !== undefined) return known;
    if (this.#byChannel.size >= MAX_CHANNELS && id !== 0) return this.#channel(0);
    const labels = id === 0 ? OTHER_CHANNEL : ([`${id}`, this.#channels.typeOf(id)] as const);
    const made = channelFigures(this.#figures, labels);
    this.#byChannel.set(id, made);
    return made;
  }
}

const OTHER_CHANNEL = [OTHER, OTHER] as const;

function add<K>(cells: Map<K, NumberCell>, key: K, make: () => NumberCell): void {
  let cell = cells.get(key);
  if (cell === undefined) {
    cell = make();
    cells.set(key, cell);
  }
  cell.value += 1;
}

function taskOutcome({ attempts }: ObservedTask, isTaken: boolean): Outcome {
  if (isTaken) return 'answered';
  return attempts.length > 0 ? 'failed' : 'refused';
}

function countContent(model: ModelFigures, call: ObservedCall): void {
  const { usage, firstContentAtMs, incoming } = call;
  if (firstContentAtMs > 0)
    model.firstToken(Math.max(0, firstContentAtMs - incoming.receivedAtMs) / 1000);
  if (usage === undefined || call.ending === 'failed') return;
  for (const [key, cell] of model.kinds) cell.value += usage[key];
  model.reasoning.value += usage.reasoning;
}

function modelFigures(figures: Figures, name: string): ModelFigures {
  const tokens = figures.number('gateway_tokens_total');
  return {
    name,
    outcomes: new Map(),
    units: figures.number('gateway_quota_charged_total').with(name),
    over: figures.number('gateway_quota_over_allowed_total').with(name),
    firstToken: figures.meter('gateway_first_token_seconds', name),
    reasoning: figures.number('gateway_reasoning_tokens_total').with(name),
    kinds: TOKEN_KINDS.map(([key, kind]) => [key, tokens.with(name, kind)]),
  };
}

function channelFigures(figures: Figures, labels: readonly [string, string]): ChannelFigures {
  return {
    labels,
    results: new Map(),
    duration: figures.meter('gateway_attempt_duration_seconds', ...labels),
    units: figures.number('gateway_channel_quota_charged_total').with(...labels),
  };
}

/** `ok`, or the failure class, as in a channel's history. */
function resultOf({ status, code }: ObservedAttempt): string {
  return code === '' ? 'ok' : errorClassOf(status, code);
}
