/**
 * Cap permits in Redis: per key the lease ends in a sorted set, or a hash with the tokens of each
 * second. One script checks all caps and takes from all of them, so that two nodes cannot both get
 * the last permit. While Redis is unreachable, permits are kept per process, or capped calls are
 * rejected.
 */
import { AppError } from '../../domain/errors/errors.ts';
import {
  CALL_PERMIT_WAIT_MS,
  type Permit,
  type PermitStore,
  TOKENS_RETENTION_SEC,
  TOKENS_WINDOW_SEC,
  tokenCorrection,
  tokensToTake,
} from './kv.ts';

const CLOCK = `
local clock = redis.call('TIME')
local sec = tonumber(clock[1])
local now = sec * 1000 + math.floor(tonumber(clock[2]) / 1000)
`;

/**
 * ARGV: id, lease in ms, then kind, limit and amount to take per key. Returns the index of the full
 * cap (0 for none), the milliseconds to wait, the second of this clock, and what remains of the
 * full cap, or of each.
 */
const TAKE = `${CLOCK}
local id, lease = ARGV[1], tonumber(ARGV[2])
local answer = {0, 0, sec}
for i, key in ipairs(KEYS) do
  local kind, limit, tokens = ARGV[3 * i], tonumber(ARGV[3 * i + 1]), tonumber(ARGV[3 * i + 2])
  if kind == 'calls' then
    redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
    local held = redis.call('ZCARD', key)
    if held >= limit then return {i, ${CALL_PERMIT_WAIT_MS}, sec, 0} end
    answer[#answer + 1] = limit - held - 1
  else
    local all, taken, over = redis.call('HGETALL', key), {}, math.max(1, tokens) - limit
    for j = 1, #all, 2 do
      local at = tonumber(all[j])
      if at <= sec - ${TOKENS_RETENTION_SEC} then redis.call('HDEL', key, all[j])
      else
        over = over + tonumber(all[j + 1])
        taken[#taken + 1] = {at, tonumber(all[j + 1])}
      end
    end
    local left = math.max(0, math.max(1, tokens) - over)
    if over > 0 then
      table.sort(taken, function(a, b) return a[1] < b[1] end)
      for _, one in ipairs(taken) do
        over = over - one[2]
        if over <= 0 then
          return {i, math.max(1, (one[1] + ${TOKENS_RETENTION_SEC}) * 1000 - now), sec, left}
        end
      end
      return {i, ${TOKENS_WINDOW_SEC * 1000}, sec, left}
    end
    answer[#answer + 1] = left - tokens
  end
end
for i, key in ipairs(KEYS) do
  local tokens = tonumber(ARGV[3 * i + 2])
  if ARGV[3 * i] == 'calls' then
    redis.call('ZADD', key, now + lease, id)
    redis.call('PEXPIRE', key, lease)
  elseif tokens > 0 then
    redis.call('HINCRBY', key, sec, tokens)
    redis.call('EXPIRE', key, ${TOKENS_RETENTION_SEC})
  end
end
return answer
`;

/** ARGV: id, lease in ms. KEYS: concurrency caps only. */
const RENEW = `${CLOCK}
for _, key in ipairs(KEYS) do
  redis.call('ZADD', key, now + tonumber(ARGV[2]), ARGV[1])
  redis.call('PEXPIRE', key, ARGV[2])
end
`;

/** ARGV: id, the second the tokens were taken in, then per key kind and tokens used beyond them. */
const RETURN = `${CLOCK}
local at = ARGV[2]
for i, key in ipairs(KEYS) do
  local more = tonumber(ARGV[2 + 2 * i])
  if ARGV[1 + 2 * i] == 'calls' then redis.call('ZREM', key, ARGV[1])
  elseif more > 0 then
    redis.call('HINCRBY', key, sec, more)
    redis.call('EXPIRE', key, ${TOKENS_RETENTION_SEC})
  elseif more < 0 and redis.call('HEXISTS', key, at) == 1 then
    if redis.call('HINCRBY', key, at, more) <= 0 then redis.call('HDEL', key, at) end
  end
end
`;

export interface RedisScripts {
  readonly run: (
    script: string,
    given: { readonly keys: string[]; readonly arguments: string[] },
  ) => Promise<unknown>;
  /** Prepended to every key. */
  readonly prefix: string;
  /** Used while Redis is unavailable; if undefined, capped calls are rejected then. */
  readonly fallback: PermitStore | undefined;
}

export function createRedisPermits({ run, prefix, fallback }: RedisScripts): PermitStore {
  // One script accesses several keys, which a cluster requires in one slot: that of the braces.
  const keysOf = (caps: Permit['caps']) => caps.map(({ key }) => `${prefix}{caps}:${key}`);
  // A permit that is not returned expires; the error is already logged (redis-outages.ts).
  const ignore = () => undefined;
  return {
    async takePermit(request) {
      const { id, caps, leaseMs } = request;
      const capArguments = caps.flatMap((cap) => [
        cap.of,
        cap.limit,
        tokensToTake(cap, request.tokens),
      ]);
      const args = [id, leaseMs, ...capArguments];
      try {
        const answer = await run(TAKE, {
          keys: keysOf(caps),
          arguments: args.map(String),
        });
        const numbers = Array.isArray(answer) ? answer.map(Number) : [];
        const [number = 0, waitMs = 0, atSec = 0, ...left] = numbers;
        const full = caps[number - 1];
        if (full !== undefined) return { full, waitMs, left: left[0] ?? 0 };
        return { ...request, atSec, grantedBy: 'redis', left };
      } catch (error) {
        if (fallback === undefined)
          throw new AppError('limits_unavailable', {}, { cause: error, retryAfterSec: 1 });
        return fallback.takePermit(request);
      }
    },
    async renewPermit(permit) {
      if (permit.grantedBy === 'memory') return fallback?.renewPermit(permit);
      const callCaps = permit.caps.filter(({ of }) => of === 'calls');
      if (callCaps.length === 0) return;
      const args = { keys: keysOf(callCaps), arguments: [permit.id, String(permit.leaseMs)] };
      await run(RENEW, args).catch(ignore);
    },
    async returnPermit(permit, used) {
      if (permit.grantedBy === 'memory') return fallback?.returnPermit(permit, used);
      const { id, caps, atSec, tokens } = permit;
      const more = caps.flatMap((cap) => [cap.of, tokenCorrection(cap, tokens, used)]);
      const args = [id, atSec, ...more].map(String);
      await run(RETURN, { keys: keysOf(caps), arguments: args }).catch(ignore);
    },
  };
}
