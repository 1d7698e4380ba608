/** What visitors read before they sign in: texts of the site, models and prices. */
import * as z from 'zod/mini';
import { call } from './call.ts';

export const PricingEntry = z.object({
  /** As clients write it, a channel's prefix included. */
  model_name: z.string(),
  /** 0 by tokens, 1 by the call. */
  quota_type: z.int(),
  /** 0 when billed by the call. */
  model_ratio: z.number(),
  /** USD per call; 0 when billed by tokens. */
  model_price: z.number(),
  owner_by: z.string(),
  completion_ratio: z.number(),
  cache_ratio: z.number(),
  cache_creation_ratio: z.number(),
  /** Of the caller's usable groups those that serve it. */
  enable_groups: z.array(z.string()),
  /** Nobody has priced it: only users who accept that may call it, at this ratio. */
  unset: z.optional(z.boolean()),
});

export const Pricing = z.object({
  data: z.array(PricingEntry),
  /** Factor by group, the caller's usable groups only; the own group first. */
  group_ratio: z.record(z.string(), z.number()),
  /** What the operator calls these groups. */
  usable_group: z.record(z.string(), z.string()),
});

const textRow = { method: 'GET', role: 0, input: z.object({}), reply: z.string() } as const;

export const publicCalls = {
  notice: call({ ...textRow, path: '/api/notice', summary: 'Shows the notice to everyone' }),
  about: call({ ...textRow, path: '/api/about', summary: 'Shows the page about this site' }),
  homePage: call({
    ...textRow,
    path: '/api/home_page_content',
    summary: 'Shows the content of the home page',
  }),
  models: call({
    method: 'GET',
    path: '/api/models',
    role: 1,
    summary: 'Lists the usual models of each channel type',
    input: z.object({}),
    /** By the channel type's number. */
    reply: z.record(z.string(), z.array(z.string())),
  }),
  pricing: call({
    method: 'GET',
    path: '/api/pricing',
    role: 0,
    wire: 'flat',
    summary: 'Lists the models a visitor may call, with their prices',
    input: z.object({}),
    reply: Pricing,
  }),
};
