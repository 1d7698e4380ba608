/** The responses of the endpoints, one pure function each. */
import type * as z from 'zod/mini';
import { type Answer, jsonAnswer, refusalAnswer, streamAnswer } from './answers/answer.ts';
import { placeUsage, reportsUsage } from './answers/chunk.ts';
import type { Composed } from './answers/framed-answer.ts';
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
  composeMessages,
  InvokeBody,
  MessagesBody,
  RawPredictBody,
} from './dialects/anthropic/messages-answer.ts';
import { composeGenerate, GenerateBody } from './dialects/gemini/generate-content.ts';
import { composeChat } from './dialects/openai/chat-completions.ts';
import { composeEmbeddings } from './dialects/openai/embeddings-answer.ts';
import {
  BALANCES,
  CLOUD_LISTS,
  composeModeration,
  MODEL_LIST,
  OWN_LISTS,
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

export const ENDPOINTS: Readonly<Record<Endpoint, (call: Call, plan: Plan) => Answer>> = {
  chat: (call, plan) =>
    parsed(OwnChatBody, call, (body) =>
      completionAnswer(composeChat(body, setting(call, plan)), body, plan),
    ),
  completions: (call, plan) =>
    parsed(CompletionBody, call, (body) =>
      completionAnswer(composeCompletion(body, setting(call, plan)), body, plan),
    ),
  embeddings: (call, plan) =>
    parsed(EmbeddingBody, call, (body) => embeddingAnswer(body, call, plan)),
  moderations: (call, plan) =>
    parsed(ModerationBody, call, (body) =>
      jsonAnswer(composeModeration(body, fingerprint(call.text)), plan),
    ),
  messages: (call, plan) => CLAUDES[call.route.cloud ?? 'direct'](call, plan),
  converse: (call, plan) =>
    parsed(ConverseBody, call, (body) =>
      dialectAnswer(
        composeConverse(body, setting(call, plan)),
        call.route.streams,
        plan,
        CONVERSE_WIRE,
      ),
    ),
  token: (_call, plan) => refusalAnswer({ status: 404 }, plan, false),
  generate: (call, plan) =>
    parsed(GenerateBody, call, (body) =>
      dialectAnswer(
        composeGenerate(body, setting(call, plan)),
        call.route.streams,
        plan,
        GEMINI_WIRE,
      ),
    ),
  // Decides only whether the session opens; its messages are sent by `realtime-session.ts`.
  realtime: (call, plan) =>
    modelOf(call.route, call.body) === ''
      ? refusalAnswer({ status: 400, param: 'model', message: 'Missing model.' }, {}, false)
      : jsonAnswer({ object: 'realtime.session' }, plan),
  responses: (call, plan) =>
    parsed(ResponsesBody, call, (body) => {
      const isCompact = call.route.name === 'compact';
      const compose = isCompact ? composeCompaction : composeResponse;
      const wantsStream = isCompact ? false : body.stream === true;
      return dialectAnswer(compose(body, setting(call, plan)), wantsStream, plan, RESPONSES_WIRE);
    }),
  response: (call, plan) => keptAnswer(call, plan),
  models: ({ route: { cloud, name = '' } }, plan) => {
    const own = cloud === undefined ? OWN_LISTS[name] : CLOUD_LISTS[name];
    return jsonAnswer(own ?? { object: 'list', data: MODEL_LIST }, plan);
  },
  model: (call, plan) => modelAnswer(call.route.name ?? '', plan),
  balance: (call, plan) => jsonAnswer(BALANCES[call.route.name ?? ''], plan),
  media: (call, plan) => mediumAnswer(call, plan),
  app: (call, plan) => {
    const protocol = APPS[call.route.name ?? ''];
    if (protocol === undefined) return refusalAnswer({ status: 404 }, plan, false);
    return parsed(protocol.body, call, (body) => {
      const { composed, streamed } = composeApp(protocol, body, setting(call, plan));
      return dialectAnswer(composed, streamed, plan, protocol.wire);
    });
  },
  task: ({ route }, plan) => stateAnswer(route.action ?? '', route.name ?? '', plan),
  file: (call, plan) => jsonAnswer(uploadedFile(call.body), plan),
  unknown: (_call, plan) => refusalAnswer({ status: 404 }, plan, false),
};

/** Dify's upload form names the user, Coze's does not. */
function uploadedFile(form: unknown): object {
  const id = 'fake-file-id';
  const isDifys = typeof form === 'object' && form !== null && 'user' in form;
  return isDifys ? { id, name: 'file' } : { code: 0, msg: '', data: { id, file_name: 'file' } };
}

type Compose = (call: Call, plan: Plan) => Answer;

const INVOKE: Compose = (call, plan) =>
  parsed(InvokeBody, call, (body) => {
    const composed = composeMessages(
      { ...body, model: call.route.name ?? '' },
      setting(call, plan),
    );
    return dialectAnswer(composed, call.route.streams, plan, INVOKE_WIRE);
  });

const RAW_PREDICT: Compose = (call, plan) =>
  parsed(RawPredictBody, call, (body) => {
    const composed = composeMessages(
      { ...body, model: call.route.name ?? '' },
      setting(call, plan),
    );
    return dialectAnswer(composed, call.route.streams, plan, ANTHROPIC_WIRE);
  });

const MESSAGES: Compose = (call, plan) =>
  parsed(MessagesBody, call, (body) =>
    dialectAnswer(composeMessages(body, setting(call, plan)), body.stream, plan, ANTHROPIC_WIRE),
  );

/** Claude on cloud platforms. */
const CLAUDES = {
  direct: MESSAGES,
  bedrock: INVOKE,
  vertex: RAW_PREDICT,
  express: MESSAGES,
  google: MESSAGES,
} as const satisfies Record<NonNullable<Route['cloud']> | 'direct', Compose>;

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
  if (medium === undefined) return refusalAnswer({ status: 404 }, plan, false);
  const { host } = call;
  if (medium.schema === undefined) return medium.answer(call.body, plan, host);
  return parsed(medium.schema, call, (body) => medium.answer(body, plan, host));
}

function setting(call: Call, plan: Plan) {
  const { route, body } = call;
  return { id: fingerprint(call.text), model: modelOf(route, body), plan, azure: route.azure };
}

/** Streams of these dialects always report usage and have their own endings. */
function dialectAnswer(
  composed: Composed,
  isStream: boolean | undefined,
  plan: Plan,
  wire: Wire,
): Answer {
  const streamed = plan.answerAs ? plan.answerAs === 'stream' : isStream === true;
  if (!streamed) return jsonAnswer(composed.plain, plan, composed.usage);
  return streamAnswer(composed.chunks, plan, composed.usage, wire);
}

interface StreamRequest {
  readonly stream?: boolean | null | undefined;
  readonly stream_options?:
    | { readonly include_usage?: boolean | null | undefined }
    | null
    | undefined;
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
  const model = MODEL_LIST.find((known) => known.id === id);
  if (model !== undefined) return jsonAnswer(model, plan);
  const message = `The model '${id}' does not exist`;
  return refusalAnswer({ status: 404, param: 'model', message }, {}, false);
}
