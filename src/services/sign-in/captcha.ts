/**
 * The captcha for sign-in and other exposed calls (Cloudflare Turnstile). Each token is valid once:
 * the service enforces it, and this site remembers a token for its lifetime.
 */
import * as z from 'zod/mini';
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { guardedFetch } from '../network/egress.ts';

const TIMEOUT_MS = 5_000;
/** The service rejects longer tokens and those older than five minutes. */
const MAX_TOKEN_CHARS = 2_048;
const TOKEN_LIFETIME_MS = 300_000;

const CaptchaResult = z.object({
  success: z.boolean(),
  'error-codes': z.optional(z.array(z.string())),
});

/** Error codes that indicate a fault of the site, not of the visitor. */
const SITE_ERRORS = /secret|internal-error|bad-request/;

/**
 * Does nothing if the captcha is off (option TurnstileCheckEnabled).
 * @throws AppError captcha_missing, captcha_failed; captcha_unavailable when the check failed.
 */
export async function checkCaptcha(ctx: Context, token: string, address: string): Promise<void> {
  const options = ctx.options();
  if (!options.get('TurnstileCheckEnabled')) return;
  if (token === '') throw new AppError('captcha_missing', {}, { param: 'turnstile' });
  if (token.length > MAX_TOKEN_CHARS) throw captchaFailed();
  const result = await verifyToken(ctx, {
    secret: options.get('TurnstileSecretKey'),
    response: token,
    ...(address === '' ? {} : { remoteip: address }),
  });
  if (!result.success) {
    const codes = result['error-codes'] ?? [];
    if (!codes.some((code) => SITE_ERRORS.test(code))) throw captchaFailed();
    ctx.log.error({ codes }, 'the captcha service refused to check');
    throw new AppError('captcha_unavailable');
  }
  const key = `captcha:${ctx.secrets.hash(token)}`;
  const once = await ctx.kv.take({ key, limit: 1, windowMs: TOKEN_LIFETIME_MS });
  if (once > 0) throw captchaFailed();
}

async function verifyToken(
  ctx: Context,
  form: Readonly<Record<string, string>>,
): Promise<z.output<typeof CaptchaResult>> {
  try {
    const answer = await guardedFetch(
      ctx,
      ctx.config.turnstileUrl,
      {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form).toString(),
        timeoutMs: TIMEOUT_MS,
      },
      // Only the machine's operator can set this URL.
      { allowPrivate: true },
    );
    return z.parse(CaptchaResult, JSON.parse(answer.text()));
  } catch (cause) {
    ctx.log.warn({ err: cause }, 'the captcha service could not be reached');
    throw new AppError('captcha_unavailable', {}, { cause });
  }
}

function captchaFailed(): AppError {
  return new AppError('captcha_failed', {}, { param: 'turnstile' });
}
