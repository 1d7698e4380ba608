/** The responses of the endpoints, one pure function each. */
import type * as z from 'zod/mini';
import { type Answer, jsonAnswer, refusalAnswer, streamAnswer } from './answers/answer.ts';
import { placeUsage, reportsUsage } from './answers/chunk.ts';
import type { Composed, Setting } from './answers/framed-answer.ts';
import {
  ANTHROPIC_WIRE,
  CONVERSE_WIRE,
  GEMINI_WIRE,
  INVOKE_WIRE,
  RESPONSES_WIRE,
  type Wire,
} from './answers/wires.ts';
import { type Call, inOwnWords, modelOf } from './call.ts';
import { ConverseBody, composeConverse } from './clouds/bedrock-converse.ts';
import { fingerprint } from './content/text.ts';
import {
  composeHosted,
  composeMessages,
  InvokeBody,
  MessagesBody,
  RawPredictBody,
} from './dialects/anthropic/messages-answer.ts';
import { composeGenerate, GenerateBody } from './dialects/gemini/generate-content.ts';
import { composeChat } from './dialects/openai/chat-completions.ts';
import { composeEmbeddings } from './dialects/openai/embeddings-answer.ts';
import {
  balanceOf,
  composeModeration,
  modelList,
  modelNamed,
} from './dialects/openai/models-and-balances.ts';
import { CompletionBody, EmbeddingBody, ModerationBody } from './dialects/openai/request-fields.ts';
import {
  composeCompaction,
  composeResponse,
  keptResponse,
} from './dialects/openai/responses-answer.ts';
import { ResponsesBody } from './dialects/openai/responses-body.ts';
import { OwnChatBody } from './dialects/openai/strict-chat-body.ts';
import { composeCompletion } from './dialects/openai/text-completions.ts';
import { stateAnswer } from './media/image-tasks.ts';
import type { Plan } from './plans/plan.ts';
import type { Endpoint, Route } from './route.ts';
import { composeApp } from './vendors/vendor-protocol.ts';
import { APPS } from './vendors/vendor-protocols.ts';

type Respond = (call: Call, plan: Plan) => Answer;

export const ENDPOINTS: Readonly<Record<Endpoint, Respond>> = {
  chat: completion(OwnChatBody, composeChat),
  completions: completion(CompletionBody, composeCompletion),
  embeddings: (call, plan) =>
    parsed(EmbeddingBody, call, (body) => embeddingAnswer(body, call, plan)),
  moderations: (call, plan) =>
    parsed(ModerationBody, call, (body) =>
      jsonAnswer(composeModeration(body, fingerprint(call.text)), plan),
    ),
  messages: (call, plan) => CLAUDES[call.route.cloud ?? 'direct'](call, plan),
  converse: dialect(ConverseBody, CONVERSE_WIRE, composeConverse, streamsByPath),
  token: notFound,
  generate: dialect(GenerateBody, GEMINI_WIRE, composeGenerate, streamsByPath),
  // Decides only whether the session opens; its messages are sent by `realtime-session.ts`.
  realtime: (call, plan) =>
    modelOf(call.route, call.body) === ''
      ? refusalAnswer({ status: 400, param: 'model', message: 'Missing model.' }, {}, false)
      : jsonAnswer({ object: 'realtime.session' }, plan),
  responses: (call, plan) => (call.route.name === 'compact' ? COMPACTION : RESPONSES)(call, plan),
  response: keptAnswer,
  models: ({ route: { name = '' } }, plan) => jsonAnswer(modelList(name), plan),
  model: (call, plan) => modelAnswer(call.route.name ?? '', plan),
  balance: ({ route: { name = '' } }, plan) => jsonAnswer(balanceOf(name), plan),
  media: mediumAnswer,
  app: (call, plan) => (APP_ANSWERS[call.route.name ?? ''] ?? notFound)(call, plan),
  task: ({ route }, plan) => stateAnswer(route.action ?? '', route.name ?? '', plan),
  file: (call, plan) => jsonAnswer(uploadedFile(call.body), plan),
  unknown: notFound,
};

function notFound(_call: Call, plan: Plan): Answer {
  return refusalAnswer({ status: 404 }, plan, false);
}

/** Dify's upload form names the user, Coze's does not. */
function uploadedFile(form: unknown): object {
  const id = 'fake-file-id';
  const isDifys = typeof form === 'object' && form !== null && 'user' in form;
  return isDifys ? { id, name: 'file' } : { code: 0, msg: '', data: { id, file_name: 'file' } };
}

function parsed<S extends z.ZodMiniType>(
  schema: S,
  call: Call,
  answer: (body: z.output<S>) => Answer,
): Answer {
  const read = schema.safeParse(call.body);
  if (read.success) return answer(read.data);
  const issue = read.error.issues[0];
  const param = issue?.path.join('.') ?? null;
  const message = `Invalid value for '${param}': ${issue?.message ?? 'not valid'}.`;
  const refusal = { status: 400, param, code: 'invalid_value', message };
  return refusalAnswer(inOwnWords(refusal, call.route), {}, false);
}

function mediumAnswer(call: Call, plan: Plan): Answer {
  const { medium } = call.route;
  if (medium === undefined) return notFound(call, plan);
  const { host } = call;
  if (medium.schema === undefined) return medium.answer(call.body, plan, host);
  return parsed(medium.schema, call, (body) => medium.answer(body, plan, host));
}

function settingOf(call: Call, plan: Plan): Setting {
  const { route, body } = call;
  return { id: fingerprint(call.text), model: modelOf(route, body), plan, azure: route.azure };
}

function streamsByPath(_body: unknown, { route }: Call): boolean {
  return route.streams === true;
}

function streamsByBody({ stream }: StreamRequest): boolean {
  return stream === true;
}

/** Streams of these dialects always report usage and have their own endings. */
function dialect<S extends z.ZodMiniType>(
  schema: S,
  wire: Wire,
  compose: (body: z.output<S>, setting: Setting) => Composed,
  streams: (body: z.output<S>, call: Call) => boolean,
): Respond {
  return (call, plan) =>
    parsed(schema, call, (body) => {
      const composed = compose(body, settingOf(call, plan));
      const streamed = plan.answerAs ? plan.answerAs === 'stream' : streams(body, call);
      if (!streamed) return jsonAnswer(composed.plain, plan, composed.usage);
      return streamAnswer(composed.chunks, plan, composed.usage, wire);
    });
}

interface StreamRequest {
  readonly stream?: boolean | null | undefined;
  readonly stream_options?:
    | { readonly include_usage?: boolean | null | undefined }
    | null
    | undefined;
}

function completion<S extends z.ZodMiniType<StreamRequest>>(
  schema: S,
  compose: (body: z.output<S>, setting: Setting) => Composed,
): Respond {
  return (call, plan) =>
    parsed(schema, call, (body) =>
      completionAnswer(compose(body, settingOf(call, plan)), body, plan),
    );
}

function completionAnswer(composed: Composed, streamRequest: StreamRequest, plan: Plan): Answer {
  const streamed = plan.answerAs ? plan.answerAs === 'stream' : streamRequest.stream === true;
  if (!streamed) return plainCompletion(composed, plan);
  // A client that streams without asking cannot request usage, so it is always reported.
  const wantsUsage =
    streamRequest.stream_options?.include_usage === true || streamRequest.stream !== true;
  const usage = reportsUsage(plan.usage, wantsUsage) ? composed.usage : undefined;
  return streamAnswer(placeUsage(composed, plan.usage, wantsUsage), plan, usage);
}

function plainCompletion({ plain, usage }: Pick<Composed, 'plain' | 'usage'>, plan: Plan): Answer {
  if (plan.usage === 'none') return jsonAnswer(plain, plan);
  if (plan.usage === 'null') return jsonAnswer({ ...plain, usage: null }, plan);
  return jsonAnswer({ ...plain, usage }, plan, usage);
}

function embeddingAnswer(body: EmbeddingBody, call: Call, plan: Plan): Answer {
  if (body.input.length === 0 || body.input.length > 2048) {
    const message = "'input' must have between 1 and 2048 items.";
    return refusalAnswer({ status: 400, param: 'input', message }, {}, false);
  }
  return plainCompletion(composeEmbeddings(body, modelOf(call.route, body)), plan);
}

function keptAnswer({ route, method }: Call, plan: Plan): Answer {
  const { name: id = '', action = '' } = route;
  if (!id.startsWith('resp_'))
    return refusalAnswer(
      { status: 404, message: `Response with id '${id}' not found.` },
      {},
      false,
    );
  if (method === 'DELETE') return jsonAnswer({ id, object: 'response', deleted: true }, plan);
  return jsonAnswer(keptResponse(id, action), plan);
}

function modelAnswer(id: string, plan: Plan): Answer {
  const model = modelNamed(id);
  if (model !== undefined) return jsonAnswer(model, plan);
  const message = `The model '${id}' does not exist`;
  return refusalAnswer({ status: 404, param: 'model', message }, {}, false);
}

const RESPONSES = dialect(ResponsesBody, RESPONSES_WIRE, composeResponse, streamsByBody);
const COMPACTION = dialect(ResponsesBody, RESPONSES_WIRE, composeCompaction, () => false);
const MESSAGES = dialect(MessagesBody, ANTHROPIC_WIRE, composeMessages, streamsByBody);

/** Claude on cloud platforms. */
const CLAUDES: Readonly<Record<NonNullable<Route['cloud']> | 'direct', Respond>> = {
  direct: MESSAGES,
  bedrock: dialect(InvokeBody, INVOKE_WIRE, composeHosted, streamsByPath),
  vertex: dialect(RawPredictBody, ANTHROPIC_WIRE, composeHosted, streamsByPath),
  express: MESSAGES,
  google: MESSAGES,
};

const APP_ANSWERS: Readonly<Record<string, Respond>> = Object.fromEntries(
  Object.entries(APPS).map(([name, app]) => [
    name,
    dialect(
      app.body,
      app.wire,
      (body, setting) => composeApp(app, body, setting),
      (body) => app.streams(body),
    ),
  ]),
);
