/** Validates the fields of an API token and derives its status. */

import ipaddr from 'ipaddr.js';
import type { Context } from '../../context.ts';
import { nowSec } from '../../context.ts';
import { lookupName } from '../../domain/channels/model-names.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { checkAll, invalidInput } from '../../domain/errors/input-problems.ts';
import { groupExists, isAutoGroup, mayUseGroup, usableGroups } from '../../domain/groups.ts';
import { TOKEN_STATUS } from '../../domain/statuses.ts';
import { splitList } from '../../domain/text/comma-list.ts';
import { modelNamesOfGroups } from '../../store/tables/abilities-table.ts';
import type { TokenFields } from '../../store/tables/tokens-table.ts';
import type { UserRow } from '../../store/tables/users-table.ts';

const NEVER = -1;

/**
 * The fields that were sent, in their stored form.
 * @param before The stored token; undefined for a new one.
 * @throws AppError input_invalid (time in the past, address, group or model unknown to the owner,
 * limited to no model at all).
 */
export async function checkedTokenFields(
  ctx: Context,
  owner: UserRow,
  sent: Partial<TokenFields>,
  before?: TokenFields,
): Promise<Partial<TokenFields>> {
  const { group, model_limits, allow_ips } = sent;
  let addresses = {};
  await checkAll(
    () => requireFutureTime(ctx, sent),
    () => group && requireUsableGroup(ctx, owner, group),
    () => model_limits && requireKnownModels(ctx, owner, splitList(model_limits)),
    () => requireSomeModel(sent, before),
    () => {
      if (allow_ips !== undefined) addresses = { allow_ips: addressLines('allow_ips', allow_ips) };
    },
  );
  return { ...sent, ...addresses };
}

function requireFutureTime(ctx: Context, { expired_time }: Partial<TokenFields>): void {
  if (expired_time !== undefined && expired_time !== NEVER && expired_time <= nowSec(ctx))
    throw invalidInput('expired_time', 'not_in_future');
}

/** A token that is limited to an empty list could not call any model. */
function requireSomeModel(sent: Partial<TokenFields>, before: TokenFields | undefined): void {
  if (sent.model_limits === undefined && sent.model_limits_enabled === undefined) return;
  const isLimited = sent.model_limits_enabled ?? before?.model_limits_enabled;
  const models = sent.model_limits ?? before?.model_limits ?? '';
  if (isLimited && models === '') throw invalidInput('model_limits', 'empty');
}

function requireUsableGroup(ctx: Context, owner: UserRow, group: string): void {
  const options = ctx.options();
  const hasTimeAndQuota =
    isAutoGroup(options.get('AutoGroups'), group) ||
    (groupExists(options.get('GroupRatio'), group) &&
      mayUseGroup(options.get('UserUsableGroups'), owner.group, group));
  if (!hasTimeAndQuota)
    throw invalidInput('group', 'group_not_usable', { group, username: owner.username });
}

/** A model is known if any channel of the owner's groups serves it, even if disabled. */
async function requireKnownModels(
  ctx: Context,
  owner: UserRow,
  models: readonly string[],
): Promise<void> {
  const options = ctx.options();
  const groups = usableGroups(
    { ratios: options.get('GroupRatio'), labels: options.get('UserUsableGroups') },
    owner.group,
  );
  const known = await modelNamesOfGroups(
    ctx.db,
    groups.map((group) => group.name),
  );
  const unknown = models.find((model) => !known.has(model) && !known.has(lookupName(model)));
  if (unknown !== undefined)
    throw invalidInput('model_limits', 'model_unserved', { model: unknown });
}

interface Limits {
  readonly status: number;
  readonly expired_time: number;
  readonly remain_quota: number;
  readonly unlimited_quota: boolean;
}

/**
 * The status after an edit. An edit that extends the time or quota of an expired or exhausted token
 * re-enables it; enabling one manually that still lacks either is refused.
 * @throws AppError token_cannot_enable.
 */
export function statusAfter(
  before: Limits,
  after: Limits,
  requestedStatus: number | undefined,
  nowSec: number,
): number {
  const mayWork = isUsable(after, nowSec);
  if (requestedStatus === TOKEN_STATUS.enabled && !mayWork)
    throw new AppError('token_cannot_enable');
  if (requestedStatus !== undefined) return requestedStatus;
  const ranOut = before.status === TOKEN_STATUS.expired || before.status === TOKEN_STATUS.exhausted;
  return ranOut && mayWork && !isUsable(before, nowSec) ? TOKEN_STATUS.enabled : before.status;
}

/** Whether it has time and quota left, whatever its status. */
export function isUsable(token: Limits, nowSec: number): boolean {
  return !hasExpired(token, nowSec) && !isExhausted(token);
}

function hasExpired(token: Limits, nowSec: number): boolean {
  return token.expired_time !== NEVER && token.expired_time <= nowSec;
}

function isExhausted(token: Limits): boolean {
  return !token.unlimited_quota && token.remain_quota <= 0;
}

/**
 * Addresses and CIDR ranges in their stored form, one per line. In the input, whitespace and commas
 * separate them.
 * @throws AppError `input_invalid` naming the first invalid entry.
 */
function addressLines(field: string, text: string): string {
  const entries = text.split(/[\s,]+/u).filter((entry) => entry !== '');
  for (const entry of entries)
    if (!ipaddr.isValid(entry) && !ipaddr.isValidCIDR(entry))
      throw invalidInput(field, 'not_address', { entry: entry.slice(0, 60) });
  return [...new Set(entries)].join('\n');
}
