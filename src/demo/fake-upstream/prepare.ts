/** From a call to its answer: one function per endpoint, all of them pure. */
import * as z from 'zod/mini';
import { type Answer, jsonAnswer, refusalAnswer, silentAnswer, streamAnswer } from './answer.ts';
import { ChatBody, CompletionBody, EmbeddingBody, ModerationBody } from './bodies.ts';
import { BALANCES, composeModeration, MODEL_LIST } from './catalogue.ts';
import { type Composed, composeChat } from './chat.ts';
import { placeUsage, tellsUsage } from './chunk.ts';
import { composeCompletion } from './completions.ts';
import { composeEmbeddings } from './embeddings.ts';
import type { Endpoint, Route } from './paths.ts';
import type { Plan, Refusal } from './plan.ts';
import { fingerprint } from './text.ts';

export interface Call {
  readonly route: Route;
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly text: string;
  /** The parsed body; undefined where `text` is no JSON. */
  readonly body: unknown;
}

/** The fields that every model call has, read before anything is known to be valid. */
const Envelope = z.looseObject({ model: z.nullish(z.string()), stream: z.nullish(z.boolean()) });

/** The model a call names: in the body, else as Azure's deployment. */
export function modelOf(route: Route, body: unknown): string {
  const model = Envelope.safeParse(body).data?.model;
  return model ?? (route.azure ? (route.name ?? '') : '');
}

/** The answer to a call; equal calls under equal plans get equal bytes. */
export function prepare(call: Call, plan: Plan): Answer {
  const isStream = Envelope.safeParse(call.body).data?.stream === true;
  const streamed = plan.answerAs ? plan.answerAs === 'stream' : isStream;
  if (plan.fault?.after === 'head') return silentAnswer(plan.fault);
  if (plan.refuse !== undefined) return refusalAnswer(plan.refuse, plan, streamed);
  const problem = problemOf(call);
  if (problem !== undefined) return refusalAnswer(problem, {}, false);
  return ENDPOINTS[call.route.endpoint](call, plan);
}

function problemOf(call: Call): Refusal | undefined {
  const { route, method } = call;
  const where = `${method} ${call.path}`;
  if (route.endpoint === 'unknown') {
    return { status: 404, code: 'unknown_url', message: `Unknown request URL: ${where}.` };
  }
  if (method !== route.method) {
    const words = { code: 'method_not_supported', message: `Not allowed: ${where}.` };
    return { status: 405, type: 'invalid_request_error', ...words };
  }
  if (route.azure && !/(^|&)api-version=[^&]+/.test(call.query)) {
    return { status: 404, type: null, code: '404', message: 'Resource not found' };
  }
  if (route.method === 'GET') return undefined;
  if (call.body === undefined) {
    return { status: 400, message: 'We could not parse the JSON body of your request.' };
  }
  if (route.endpoint !== 'moderations' && modelOf(route, call.body) === '') {
    return { status: 400, param: 'model', message: 'you must provide a model parameter' };
  }
  return undefined;
}

const ENDPOINTS: Readonly<Record<Endpoint, (call: Call, plan: Plan) => Answer>> = {
  chat: (call, plan) =>
    parsed(ChatBody, call, (body) =>
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
  models: (_call, plan) => jsonAnswer({ object: 'list', data: MODEL_LIST }, plan),
  model: (call, plan) => modelAnswer(call.route.name ?? '', plan),
  balance: (call, plan) => jsonAnswer(BALANCES[call.route.name ?? ''], plan),
  unknown: (_call, plan) => refusalAnswer({ status: 404 }, plan, false),
};

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
  return refusalAnswer({ status: 400, param, code: 'invalid_value', message }, {}, false);
}

function setting(call: Call, plan: Plan) {
  const { route, body } = call;
  return { id: fingerprint(call.text), model: modelOf(route, body), plan, azure: route.azure };
}

interface StreamWish {
  readonly stream?: boolean | null | undefined;
  readonly stream_options?:
    | { readonly include_usage?: boolean | null | undefined }
    | null
    | undefined;
}

function completionAnswer(composed: Composed, wish: StreamWish, plan: Plan): Answer {
  const streamed = plan.answerAs ? plan.answerAs === 'stream' : wish.stream === true;
  if (!streamed) return plainCompletion(composed, plan);
  // Who streams unasked has no way to be asked for usage, so it is told.
  const isAsked = wish.stream_options?.include_usage === true || wish.stream !== true;
  const usage = tellsUsage(plan.usage, isAsked) ? composed.usage : undefined;
  return streamAnswer(placeUsage(composed.stream, plan.usage, isAsked), plan, usage);
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

function modelAnswer(id: string, plan: Plan): Answer {
  const model = MODEL_LIST.find((known) => known.id === id);
  if (model !== undefined) return jsonAnswer(model, plan);
  const message = `The model '${id}' does not exist`;
  return refusalAnswer({ status: 404, param: 'model', message }, {}, false);
}
