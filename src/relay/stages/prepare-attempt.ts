/** Fetches what the features of an attempt need before its request can be built. */
import type { Awaitable } from '../../domain/awaitable.ts';
import type { Routed } from '../call/admitted.ts';
import { type Attachments, NO_ATTACHMENTS } from '../call/attachments.ts';
import type { Choice } from '../call/choice.ts';
import type { Ports } from '../call/relay-ports.ts';
import { brokenAttempt } from '../failures/upstream-failures.ts';
import type { RouteFeature } from '../features/feature.ts';

type Services = Ports<'ctx' | 'features' | 'pools'>;

/** The call with its attachments. @throws AppError, UpstreamFailure, ClientLeft */
export function preparedFor(relay: Services, call: Routed, choice: Choice): Awaitable<Routed> {
  const hooks = relay.features.ofRoute(call.route.plan).prepare;
  if (hooks.length === 0 && call.attachments === NO_ATTACHMENTS) return call;
  return prepared(relay, call, choice, hooks);
}

async function prepared(
  relay: Services,
  call: Routed,
  choice: Choice,
  hooks: readonly NonNullable<RouteFeature['prepare']>[],
): Promise<Routed> {
  let attachments: Attachments = NO_ATTACHMENTS;
  try {
    for (const prepare of hooks)
      attachments = { ...attachments, ...(await prepare(relay, call, choice)) };
    return { ...call, attachments };
  } catch (error) {
    throw brokenAttempt(relay, call, error);
  }
}
