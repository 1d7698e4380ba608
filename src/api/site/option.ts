/** Options: settings that administrators change at run time. Secrets are write-only. */
import * as z from 'zod/mini';
import { call, PageQuery, pageSchema } from '../call.ts';
import { FilterText, Flag, Impact } from '../fields.ts';
import { RatioConfig } from './public.ts';

const Key = z.string().check(z.minLength(1), z.maxLength(100));

const Option = z.object({
  key: z.string(),
  value: z.string(),
  /** False when the default applies. */
  changed: z.boolean(),
});

/** Text, or the JSON form of the option's kind: a boolean, a number, a list or a map. */
const Value = z.union([
  z.string(),
  z.boolean(),
  z.number(),
  z.array(z.unknown()),
  z.record(z.string(), z.unknown()),
]);
const Change = z.object({
  key: Key,
  /** Absent: empty. */
  value: z._default(Value, ''),
  /** The previous text: if it differs by now, nothing is saved. Not for secrets. */
  before: z.optional(z.string()),
});

const MOST_CHANGES = 500;

/** Field of the fallback pricing form; blank means "not set". */
const Amount = z._default(z.nullable(z.union([z.number(), z.string()])), null);

export const OptionAudit = z.object({
  id: z.int(),
  /** Epoch seconds. */
  created_at: z.int(),
  key: z.string(),
  /** 0 and '' for the operator at the machine's own terminal. */
  user_id: z.int(),
  username: z.string(),
  /** For secrets `***`, or '' when none was set. */
  old_value: z.string(),
  new_value: z.string(),
});

export const optionCalls = {
  list: call.admin('GET /api/option/', {
    summary: 'Lists the options that the caller may change, without secrets',
    input: z.object({
      prefix: FilterText,
      changed: z.optional(Flag),
      /** Includes secrets: never their values, only whether one is set. */
      secrets: z.optional(Flag),
    }),
    reply: z.array(z.extend(Option, { is_set: z.optional(z.boolean()) })),
  }),
  get: call.admin('GET /api/option/:key', {
    summary: 'Shows an option; for a secret only whether it is set',
    input: z.object({ key: Key }),
    reply: z.extend(Option, { secret: z.boolean(), is_set: z.boolean() }),
  }),
  set: call.admin('PUT /api/option/', {
    isAllowedInDemo: true,
    summary: 'Changes an option; an empty secret keeps the stored value',
    input: z.extend(Change, { impact: Impact }),
  }),
  setMany: call.admin('PUT /api/option/batch', {
    isAllowedInDemo: true,
    summary: 'Changes several options, all or none',
    input: z.object({
      options: z.array(Change).check(z.minLength(1), z.maxLength(MOST_CHANGES)),
      impact: Impact,
    }),
  }),
  audit: call.admin('GET /api/option/audit', {
    summary: 'Lists the changes of options, newest first',
    input: z.extend(PageQuery, { key: FilterText }),
    reply: pageSchema(OptionAudit),
  }),
  unset: call.admin('DELETE /api/option/:key', {
    isAllowedInDemo: true,
    summary: 'Resets an option to its default',
    input: z.object({ key: Key, impact: Impact }),
  }),
  resetModelRatio: call.admin('POST /api/option/rest_model_ratio', {
    summary: "Removes the site's own prices of all models, so that the built-in prices apply",
    input: z.object({ impact: Impact }),
    /** The prices that apply now. */
    reply: RatioConfig,
  }),
  validateFallbackPricing: call.admin('POST /api/option/validate_fallback_pricing', {
    summary: 'Checks a fallback price without saving it',
    input: z.object({
      enabled: z._default(Flag, false),
      single_price: Amount,
      input_ratio: Amount,
      completion_ratio: Amount,
    }),
  }),
};
