/** The figures of an API token, for programs that have nothing but its key. */
import * as z from 'zod/mini';
import { call } from '../call.ts';

/** A whole key of an API token, as a query field or as the Bearer credential. */
export const TokenKey = z.string().check(z.minLength(1), z.maxLength(200));

const TokenUsage = z.object({
  object: z.literal('token_usage'),
  name: z.string(),
  /** Units: `total_used` and `total_available` together. */
  total_granted: z.int(),
  total_used: z.int(),
  /** Without meaning if `unlimited_quota`. */
  total_available: z.int(),
  unlimited_quota: z.boolean(),
  /** The models that it may call, if `model_limits_enabled`. */
  model_limits: z.record(z.string(), z.boolean()),
  model_limits_enabled: z.boolean(),
  /** Epoch seconds; 0 for never. */
  expires_at: z.int(),
});

export const tokenUsageCalls = {
  show: call.guest('GET /api/usage/token', {
    summary: 'Shows the quota of an API token to who has its key',
    input: z.object({ key: TokenKey }),
    bearer: 'key',
    wire: 'flat',
    cors: true,
    /** In the form that clients of this family of gateways read. */
    reply: z.object({ code: z.literal(true), message: z.string(), data: TokenUsage }),
  }),
};
