/**
 * Schema of the document that describes a site. Anything the document omits stays unchanged. The
 * field schemas are those of the API calls that write them.
 */

import * as z from 'zod/mini';
import { groupCalls } from '../../api/accounts/group.ts';
import { tokenFields } from '../../api/accounts/token.ts';
import { NewUser } from '../../api/accounts/user.ts';
import { budgetFields } from '../../api/billing/budget.ts';
import { PriceSet } from '../../api/billing/price.ts';
import { NewRedemptions } from '../../api/billing/redemption.ts';
import { ChannelDocument } from '../../api/channels/channel-transfer.ts';
import { BUDGET_MEASURES, BUDGET_SUBJECTS } from '../../domain/budgets/budget.ts';
import { PRICE_OPTIONS } from '../../domain/options/rows/pricing.ts';

/** Reference to a secret, so that the document need not contain it. */
const SecretFrom = z.union([
  z.strictObject({ env: z.string().check(z.minLength(1)) }),
  z.strictObject({ file: z.string().check(z.minLength(1)) }),
]);
export type SecretFrom = z.output<typeof SecretFrom>;

const GroupEntry = z.strictObject(groupCalls.set.input.shape);

const SitePrice = z.strictObject(PriceSet.shape);

const SiteChannel = z.strictObject({
  ...ChannelDocument.shape,
  keyFrom: z.optional(SecretFrom),
});

const { password: _password, ...userFields } = NewUser.shape;

const SiteUser = z.strictObject({
  ...userFields,
  /** Super admins can only be created on the machine itself. */
  role: z.optional(z.enum(['user', 'admin'])),
  status: z.optional(z.enum(['enabled', 'banned'])),
  /** Only for new accounts: afterwards users manage both themselves. */
  passwordFrom: z.optional(SecretFrom),
});

const { name: TokenName, expired_time: _expiry, ...tokenColumns } = tokenFields;

const SiteToken = z.strictObject({
  name: TokenName,
  /** The owner's username. */
  user: z.string().check(z.minLength(1)),
  /** `never`, a date (until its end) or a time; not a duration, which would be relative to now. */
  expires: z.optional(z.string()),
  /** `remain_quota` only for new tokens: afterwards it is the unspent remainder. */
  ...z.partial(z.object(tokenColumns)).shape,
  status: z.optional(z.enum(['enabled', 'disabled'])),
});

const SiteBudget = z.strictObject({
  subject: z.enum(BUDGET_SUBJECTS),
  /** A token as `<owner>/<token>`, a username, or the name of a group, channel or model. */
  name: z._default(z.string(), ''),
  measure: z.optional(z.enum(BUDGET_MEASURES)),
  ...z.partial(z.object(budgetFields)).shape,
  period: budgetFields.period,
  limit_amount: budgetFields.limit_amount,
  status: z.optional(z.enum(['enabled', 'disabled'])),
});

const codeFields = NewRedemptions.shape;

/** Describes `count` codes of a name, including used ones; a single one if a key is given. */
const RedemptionEntry = z.strictObject({
  ...codeFields,
  /** The code itself, or `${NAME}` for an environment variable. */
  key: z.optional(z.string()),
  keyFrom: z.optional(SecretFrom),
});

const OptionValue = z.union([
  z.string(),
  z.boolean(),
  z.number(),
  z.array(z.unknown()),
  z.record(z.string(), z.unknown()),
]);

export const SITE_FILE_VERSION = 1;

export const SiteFile = z.strictObject({
  version: z._default(z.literal(SITE_FILE_VERSION), SITE_FILE_VERSION),
  options: z.optional(z.record(z.string(), OptionValue)),
  /** Secret options, by name. */
  optionsFrom: z.optional(z.record(z.string(), SecretFrom)),
  groups: z.optional(z.array(GroupEntry)),
  prices: z.optional(z.array(SitePrice)),
  channels: z.optional(z.array(SiteChannel)),
  users: z.optional(z.array(SiteUser)),
  tokens: z.optional(z.array(SiteToken)),
  budgets: z.optional(z.array(SiteBudget)),
  redemptions: z.optional(z.array(RedemptionEntry)),
});

export type SiteFile = z.output<typeof SiteFile>;
export type SiteFileGiven = z.input<typeof SiteFile>;
export type SiteChannel = z.output<typeof SiteChannel>;
export type GroupEntry = z.output<typeof GroupEntry>;
export type SitePrice = z.output<typeof SitePrice>;
export type SiteUser = z.output<typeof SiteUser>;
export type SiteToken = z.output<typeof SiteToken>;
export type SiteBudget = z.output<typeof SiteBudget>;
export type RedemptionEntry = z.output<typeof RedemptionEntry>;

export const SECTIONS = [
  'options',
  'groups',
  'prices',
  'users',
  'channels',
  'tokens',
  'budgets',
  'redemptions',
] as const;
export type Section = (typeof SECTIONS)[number];

/** Options that have their own section in the document. */
export const SECTION_OF_OPTION: Readonly<Record<string, 'groups' | 'prices'>> = {
  GroupRatio: 'groups',
  UserUsableGroups: 'groups',
  ...Object.fromEntries(PRICE_OPTIONS.map((key) => [key, 'prices' as const])),
};

/** JSON Schema for editors; describes the input, before any transformation. */
export function siteFileJsonSchema(): string {
  const schema = z.toJSONSchema(SiteFile, { io: 'input', unrepresentable: 'any' });
  return `${JSON.stringify({ title: 'AI Model Gateway site', ...schema }, null, 2)}\n`;
}
