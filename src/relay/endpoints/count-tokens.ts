/**
 * Counts the tokens of a request without charge: Anthropic's count_tokens and Gemini's countTokens.
 */
import { DIALECTS } from '../../dialects/all.ts';
import { isObject, type JsonObject } from '../../json/read-json.ts';
import { authenticate } from '../admission/authenticate.ts';
import { inServingGroup } from '../admission/caller-group.ts';
import { takeRateLimits } from '../admission/rate-limits.ts';
import { readFieldsOf } from '../body/read-fields.ts';
import { readSent } from '../call/call-intent.ts';
import type { Caller } from '../call/caller.ts';
import type { Incoming, Received } from '../call/incoming-call.ts';
import type { Ports, Relay } from '../call/relay-ports.ts';
import { noChannel } from '../routing/no-channel.ts';
import { checkModel } from '../stages/admit.ts';
import { receive, whileReceived } from '../stages/read.ts';

/**
 * Returns the gateway's own estimate, which does not depend on the channel.
 * @throws what a model call throws before it uses a channel.
 */
export async function countTokens(relay: Relay, incoming: Incoming): Promise<number> {
  const known = await authenticate(relay, incoming);
  await takeRateLimits(relay, known, incoming);
  return whileReceived(receive(relay, known, incoming), incoming, (received) =>
    countOf(relay, known, received),
  );
}

async function countOf(
  relay: Ports<'counter' | 'ctx' | 'routing'>,
  known: Caller,
  incoming: Received,
): Promise<number> {
  const { sent } = await readSent(incoming, readFieldsOf('chat'));
  const body = innerRequest(sent);
  const pathParams = incoming.pathModel === undefined ? {} : { model: incoming.pathModel };
  const { model } = DIALECTS[incoming.dialect ?? 'chat'].readRequest(body, pathParams);
  const caller = await inServingGroup(relay, known, model);
  checkModel(caller, { model });
  const { group, pinned } = caller;
  if (pinned === '' && relay.routing.candidates(group, model).length === 0)
    throw noChannel(relay, { group, model });
  return relay.counter.countPrompt(model, 'chat', body);
}

/** Gemini accepts a whole request or only its contents. */
function innerRequest(sent: JsonObject): JsonObject {
  const whole = sent.generateContentRequest ?? sent.generate_content_request;
  return isObject(whole) ? whole : sent;
}
