/** Admits the caller of a call, a task or a session: before its body is read, and once its model is known. */
import { AppError } from '../../domain/errors/errors.ts';
import { authenticate } from '../admission/authenticate.ts';
import { inServingGroup } from '../admission/caller-group.ts';
import { type Admission, takeRateLimits } from '../admission/rate-limits.ts';
import type { Intent } from '../call/call-intent.ts';
import type { Caller } from '../call/caller.ts';
import { headerOf, type Incoming } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';
import type { KnownCall } from '../failures/failed-call.ts';
import type { Asked, ClientSide } from '../features/feature.ts';

export interface AdmittedCaller {
  readonly caller: Caller;
  readonly admission: Admission;
}

/**
 * Checks what needs no body; `known` receives the caller.
 * @throws AppError extension_blocked; what `authenticate` and `takeRateLimits` throw.
 */
export async function admitCaller(
  relay: Ports<'callers' | 'ctx'>,
  incoming: Incoming,
  known: KnownCall,
): Promise<AdmittedCaller> {
  refuseExtensions(relay, incoming);
  const caller = await authenticate(relay, incoming);
  known.caller = caller;
  return { caller, admission: await takeRateLimits(relay, caller, incoming) };
}

export interface AskedModel extends Asked {
  readonly client: ClientSide;
}

/**
 * The caller in the group that serves the model; `known` receives it.
 * @throws AppError model_denied; what `inServingGroup` and the features throw.
 */
export async function admitModel(
  relay: Ports<'ctx' | 'features' | 'routing'>,
  presenter: Caller,
  asked: AskedModel,
  known: KnownCall,
): Promise<Caller> {
  const caller = await inServingGroup(relay, presenter, asked.model);
  known.caller = caller;
  checkModel(caller, asked);
  for (const admit of relay.features.ofClient(asked.client).admit)
    await admit(relay, caller, asked);
  return caller;
}

function refuseExtensions(relay: Ports<'ctx'>, incoming: Incoming): void {
  if (!relay.ctx.options().get('global.block_browser_extension_enabled')) return;
  const origin = headerOf(incoming.headers, 'origin');
  if (origin.includes('extension') && origin.includes('://'))
    throw new AppError('extension_blocked');
}

/**
 * A call that pins its channel is exempt from the token's model list, because only administrators
 * can pin one.
 */
export function checkModel({ token, pinned }: Caller, { model }: Pick<Intent, 'model'>): void {
  if (pinned !== '' || token.models === undefined || token.models.has(model)) return;
  throw new AppError('model_denied', { model }, { param: 'model' });
}
