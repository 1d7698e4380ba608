/** Public data for visitors: texts of the site, models and prices. */
import * as z from 'zod/mini';
import { ShownRates, ShownVariants } from '../../domain/pricing/rate-schema.ts';
import { call } from '../call.ts';

export const PricingEntry = z.object({
  /** The name that clients send, including a channel's prefix. */
  model_name: z.string(),
  /** 0 billed by tokens, 1 per call. */
  quota_type: z.int(),
  /** 0 when billed per call. */
  model_ratio: z.number(),
  /** USD per call; 0 when billed by tokens. */
  model_price: z.number(),
  owner_by: z.string(),
  /** One of `vendors`; absent if the vendor is unknown. */
  vendor_id: z.optional(z.int()),
  completion_ratio: z.number(),
  cache_ratio: z.number(),
  cache_creation_ratio: z.number(),
  /** The same in USD, with every kind of tokens; absent when billed per call. */
  rates: z.optional(ShownRates),
  /** Rates that depend on the answer: long prompts, service tiers. */
  variants: z.optional(ShownVariants),
  /** The caller's usable groups that serve it. */
  enable_groups: z.array(z.string()),
  /** No price is set; only listed for administrators and users who accept such models. */
  unset: z.optional(z.boolean()),
  /** What clients may call it through, in the words of this family of gateways. */
  supported_endpoint_types: z.array(z.string()),
});

export const Pricing = z.object({
  data: z.array(PricingEntry),
  /** The vendors of these models. */
  vendors: z.array(z.object({ id: z.int(), name: z.string() })),
  /** Method and path of the `supported_endpoint_types` of these models. */
  supported_endpoint: z.record(z.string(), z.object({ path: z.string(), method: z.string() })),
  /** Factor by group, limited to the caller's usable groups; the own group first. */
  group_ratio: z.record(z.string(), z.number()),
  /** The operator's labels of these groups. */
  usable_group: z.record(z.string(), z.string()),
});

const NumberByModel = z.record(z.string(), z.number());

/** What is in force, by model. */
export const RatioConfig = z.object({
  model_ratio: NumberByModel,
  completion_ratio: NumberByModel,
  cache_ratio: NumberByModel,
  create_cache_ratio: NumberByModel,
  /** USD per call. */
  model_price: NumberByModel,
});

const textRow = { input: z.object({}), reply: z.string() } as const;

export const publicCalls = {
  notice: call.guest('GET /api/notice', { ...textRow, summary: 'Shows the site notice' }),
  about: call.guest('GET /api/about', {
    ...textRow,
    summary: 'Shows the content of the about page',
  }),
  userAgreement: call.guest('GET /api/user-agreement', {
    ...textRow,
    summary: 'Shows the user agreement',
  }),
  privacyPolicy: call.guest('GET /api/privacy-policy', {
    ...textRow,
    summary: 'Shows the privacy policy',
  }),
  homePage: call.guest('GET /api/home_page_content', {
    ...textRow,
    summary: 'Shows the content of the home page',
  }),
  models: call.user('GET /api/models', {
    summary: 'Lists the default models of each channel type',
    /** By the channel type's number. */
    reply: z.record(z.string(), z.array(z.string())),
  }),
  ratioConfig: call.guest('GET /api/ratio_config', {
    summary: 'Shows the ratios and prices of the models that a visitor may call',
    reply: RatioConfig,
  }),
  pricing: call.guest('GET /api/pricing', {
    wire: 'flat',
    summary: 'Lists the models that a visitor may call, with their prices',
    reply: Pricing,
  }),
};
