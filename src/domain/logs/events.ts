/**
 * What the gateway itself records, in log entries and beside tasks and jobs: a code with parameters.
 * Readers get a sentence in their language (`src/locales/event-text.ts`).
 */
import { BUDGET_SUBJECTS, type BudgetSubject } from '../budgets/budget.ts';
import type { IdentityProvider } from '../identity-providers.ts';

/** The values of parameters by kind. */
interface ParamValues {
  /** A name or another text of users, the same in every language. */
  readonly text: string;
  readonly number: number;
  /** A number of things, which selects the plural form of the sentence. */
  readonly count: number;
  /** Quota units. */
  readonly units: number;
  /** Hundredths of the currency of payments. */
  readonly cents: number;
  /** Epoch seconds. */
  readonly moment: number;
  /** Names of input fields. */
  readonly fields: readonly string[];
  /** New values by input field. */
  readonly values: Readonly<Record<string, string | number>>;
  readonly channels: ChannelSet;
  readonly provider: IdentityProvider;
  /** What a budget limits; a text in older entries. */
  readonly subject: BudgetSubjectName | string;
  /** Another stored text: `storedEvent`, or a text of an upstream. */
  readonly reason: string;
}

/** Id and name are given for a single channel. */
export interface ChannelSet {
  readonly count: number;
  readonly id?: number;
  readonly name?: string;
}

export interface BudgetSubjectName {
  readonly kind: BudgetSubject;
  /** Empty for the site. */
  readonly name: string;
}

export type ParamKind = keyof ParamValues;

/** Every event and the kinds of its parameters. Rows are only added: stored entries name them. */
export const EVENTS = {
  account_created: {},
  account_granted: { units: 'units' },
  account_changed: { fields: 'fields' },
  account_closed: {},
  account_enabled: {},
  account_disabled: {},
  account_promoted: {},
  account_demoted: {},
  account_deleted: {},
  password_changed: {},
  password_reset: {},
  email_bound: {},
  access_token_created: {},
  access_token_revoked: {},
  identity_bound: { provider: 'provider' },
  identity_unbound: { provider: 'provider' },
  identity_renewed: { provider: 'provider' },
  invitee_granted: { units: 'units' },
  inviter_rewarded: { units: 'units' },
  reward_transferred: { units: 'units' },
  checked_in: { units: 'units' },
  quota_changed: { before: 'units', after: 'units' },
  top_up_paid: { units: 'units', cents: 'cents' },
  top_up_completed: { trade_no: 'text', cents: 'cents' },
  code_redeemed: { units: 'units' },
  rebate_received: { units: 'units' },
  rebate_paid: { units: 'units' },
  redemptions_created: { count: 'count', name: 'text', units: 'units' },
  redemption_changed: { name: 'text' },
  redemptions_disabled: { count: 'count' },
  redemptions_deleted: { count: 'count' },
  tokens_created: { count: 'count', name: 'text' },
  token_changed: { name: 'text', fields: 'fields' },
  token_deleted: { name: 'text' },
  token_key_shown: { name: 'text' },
  channel_created: { channels: 'channels' },
  channel_changed: { channels: 'channels', fields: 'fields' },
  channel_set: { channels: 'channels', values: 'values' },
  channel_imported: { channels: 'channels', fields: 'fields' },
  channel_copied: { channels: 'channels', source: 'number' },
  channel_enabled: { channels: 'channels' },
  channel_disabled: { channels: 'channels' },
  channel_deleted: { channels: 'channels' },
  channel_tagged: { channels: 'channels', tag: 'text' },
  channel_untagged: { channels: 'channels' },
  channel_tag_changed: { channels: 'channels', tag: 'text', fields: 'fields' },
  channel_tag_enabled: { channels: 'channels', tag: 'text' },
  channel_tag_disabled: { channels: 'channels', tag: 'text' },
  channel_keys_shown: { channels: 'channels' },
  channel_exported: { channels: 'channels' },
  abilities_rebuilt: {},
  channel_tested: {},
  channel_test_failed: { reason: 'reason' },
  option_changed: { key: 'text' },
  logs_deleted: { count: 'count', before: 'moment' },
  logs_archived: { count: 'count', before: 'moment' },
  node_drained: { host: 'text', pid: 'number' },
  job_requested: { job: 'text' },
  job_timed_out: { count: 'count' },
  message_sent: { id: 'number' },
  message_changed: { id: 'number' },
  message_deleted: { id: 'number' },
  tokens_missing: {},
  task_charged: { action: 'text', price: 'number', ratio: 'number' },
  task_refunded: { action: 'text', task: 'text', units: 'units', reason: 'reason' },
  task_not_taken: {},
  task_without_channel: {},
  task_unfinished: { count: 'count' },
  task_without_reason: {},
  response_without_channel: {},
  response_not_kept: {},
  response_unfinished: { count: 'count' },
  response_failed: {},
  channel_keys_disabled: {},
  upstream_refused: { status: 'number', message: 'text' },
  channel_slow: { seconds: 'number' },
  channel_key_tested: { key: 'number', keys: 'number', reason: 'reason' },
  budget_created: { id: 'number', name: 'subject' },
  budget_changed: { id: 'number', name: 'subject' },
  budget_raised: { id: 'number', name: 'subject' },
  budget_deleted: { id: 'number', name: 'subject' },
  channel_balance_empty: { amount: 'number', currency: 'text' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ParamKind>>>>;

export type EventCode = keyof typeof EVENTS;

type ParamsOf<C extends EventCode> = {
  readonly [N in keyof (typeof EVENTS)[C]]: (typeof EVENTS)[C][N] extends ParamKind
    ? ParamValues[(typeof EVENTS)[C][N]]
    : never;
};

/** An event with its parameters; `params` is left out where there are none. */
export type GatewayEvent = {
  [C in EventCode]: keyof (typeof EVENTS)[C] extends never
    ? { readonly event: C; readonly params?: undefined }
    : { readonly event: C; readonly params: ParamsOf<C> };
}[EventCode];

/** The kinds of the parameters of an event. */
export function paramKinds(code: EventCode): Readonly<Record<string, ParamKind>> {
  return EVENTS[code];
}

/** The event among stored facts; undefined for other texts, such as entries of other programs. */
export function eventIn(facts: Readonly<Record<string, unknown>>): GatewayEvent | undefined {
  const { event, params = {} } = facts;
  if (typeof event !== 'string' || !Object.hasOwn(EVENTS, event)) return undefined;
  if (!isObject(params)) return undefined;
  const kinds = Object.entries(paramKinds(event as EventCode)); // a key of the table
  if (!kinds.every(([name, kind]) => CHECKS[kind](params[name]))) return undefined;
  return { event, params } as GatewayEvent; // checked above
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isWhole: Check = (value) => Number.isSafeInteger(value);

const CHECKS: Readonly<Record<ParamKind, Check>> = {
  text: isText,
  number: isNumber,
  count: isWhole,
  units: isWhole,
  cents: isWhole,
  moment: (value) => isWhole(value) && Math.abs(Number(value)) <= MAX_MOMENT,
  fields: (value) => Array.isArray(value) && value.every(isText),
  values: (value) =>
    isObject(value) && Object.values(value).every((each) => isText(each) || isNumber(each)),
  channels: (value) => isObject(value) && isWhole(value.count),
  provider: isText,
  subject: (value) =>
    isText(value) ||
    (isObject(value) && BUDGET_SUBJECTS.some((kind) => kind === value.kind) && isText(value.name)),
  reason: isText,
};

/** The last second that a date can hold. */
const MAX_MOMENT = 8.64e12;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
