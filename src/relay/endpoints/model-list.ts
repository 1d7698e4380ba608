/** The model list and single models in each dialect, limited to what the token may call. */
import { anthropicModelInfo, anthropicModelPage } from '../../dialects/anthropic/model-list.ts';
import { geminiModelInfo, geminiModelPage } from '../../dialects/gemini/model-list.ts';
import { modelObject } from '../../dialects/openai/endpoints/model-list.ts';
import { lookupName } from '../../domain/channels/model-names.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { taskPrice } from '../../domain/pricing/task-price.ts';
import { providerOf } from '../../providers/rows/provider-rows.ts';
import { authenticate } from '../admission/authenticate.ts';
import { groupsOf, inGroup, inServingGroup } from '../admission/caller-group.ts';
import { admitAddress } from '../admission/rate-limits.ts';
import { knownPrice } from '../billing/call-price.ts';
import type { Caller } from '../call/caller.ts';
import type { Incoming } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';
import { modelNamesAt } from '../stages/route.ts';
import { readNamed } from '../translate/dialect-request.ts';

type ListPorts = Ports<'callers' | 'ctx' | 'prices' | 'routing'>;

export async function listModels(relay: ListPorts, incoming: Incoming) {
  const caller = await callerOf(relay, incoming);
  return {
    object: 'list',
    success: true,
    data: modelsOf(relay, caller).map((name) => modelObject(name, ownerOf(relay, caller, name))),
  };
}

/** In Anthropic's format, with its pagination parameters. */
export async function listForAnthropic(relay: ListPorts, incoming: Incoming) {
  const { limit, before_id, after_id } = incoming.query;
  const names = modelsOf(relay, await callerOf(relay, incoming));
  return anthropicModelPage(names, { limit, before_id, after_id });
}

/** In Google's format. */
export async function listForGemini(relay: ListPorts, incoming: Incoming) {
  const { pageSize, pageToken } = incoming.query;
  const names = modelsOf(relay, await callerOf(relay, incoming));
  return geminiModelPage(names, { pageSize, pageToken });
}

/** @throws AppError `model_unknown`, as `oneModel`. */
export async function oneForAnthropic(relay: ListPorts, incoming: Incoming, name: string) {
  return anthropicModelInfo((await oneModel(relay, incoming, name)).id);
}

/** @throws AppError `model_unknown`, as `oneModel`. */
export async function oneForGemini(relay: ListPorts, incoming: Incoming, name: string) {
  return geminiModelInfo((await oneModel(relay, incoming, name)).id);
}

/**
 * @throws AppError `model_unknown`, also for a model that exists but is not available to this
 * token.
 */
export async function oneModel(relay: ListPorts, incoming: Incoming, name: string) {
  const caller = await callerOf(relay, incoming);
  await inServingGroup(relay, caller, name);
  if (!modelsOf(relay, caller).includes(name))
    throw new AppError('model_unknown', { model: name }, { param: 'model' });
  return modelObject(name, ownerOf(relay, caller, name));
}

async function callerOf(relay: Ports<'callers' | 'ctx'>, incoming: Incoming): Promise<Caller> {
  const caller = await authenticate(relay, incoming);
  admitAddress(caller, incoming);
  groupsOf(relay, caller);
  return caller;
}

/**
 * Models that an enabled channel of the group serves and that have a price, limited to the token's
 * list if it has one.
 */
function modelsOf(relay: Ports<'ctx' | 'prices' | 'routing'>, caller: Caller): string[] {
  const { token } = caller;
  const groups = groupsOf(relay, caller);
  const served = [...new Set(groups.flatMap((group) => relay.routing.models(group)))];
  const allowed =
    token.models === undefined ? served : served.filter((name) => token.models?.has(name));
  return allowed.filter((name) => isPriced(relay, inGroup(relay, caller, name), name)).sort();
}

function isPriced(
  relay: Ports<'ctx' | 'prices' | 'routing'>,
  caller: Caller,
  name: string,
): boolean {
  return relay.routing.candidates(caller.group, name).some((channel) => {
    if (providerOf(channel.type).family === 'task')
      return taskPrice(relay.prices(), name, { atMs: relay.ctx.now() }) !== undefined;
    const { bare, upstreamModel } = modelNamesAt(channel, name);
    if (upstreamModel === undefined) return false;
    const { model } = readNamed(relay.ctx, channel, upstreamModel, undefined);
    const priced = { requested: lookupName(bare), upstream: model, channel };
    return knownPrice(relay, caller, priced) !== undefined;
  });
}

/** The provider that would answer; `custom` if it is not known. */
function ownerOf(relay: Ports<'ctx' | 'routing'>, caller: Caller, name: string): string {
  const [channel] = relay.routing.candidates(inGroup(relay, caller, name).group, name);
  return channel === undefined ? 'custom' : providerOf(channel.type).slug;
}
