/**
 * Prepares the response to a call without I/O: refuses invalid calls, passes valid ones to
 * `endpoints.ts`.
 */
import { type Answer, nonAnswer, refusalAnswer, silentAnswer } from './answers/answer.ts';
import { replayAnswer } from './answers/replay.ts';
import { type Call, Envelope, inOwnWords, modelOf } from './call.ts';
import { AZURE_CHAT_FIELDS } from './dialects/openai/request-fields.ts';
import { ENDPOINTS } from './endpoints.ts';
import type { Plan, Refusal } from './plans/plan.ts';
import type { Endpoint } from './route.ts';

/** The response to a call; equal calls with equal plans get equal bytes. */
export function prepare(call: Call, plan: Plan): Answer {
  const isStream =
    call.route.streams === true || Envelope.safeParse(call.body).data?.stream === true;
  const streamed = plan.answerAs ? plan.answerAs === 'stream' : isStream;
  if (plan.fault?.after === 'head') return silentAnswer(plan.fault);
  if (plan.refuse !== undefined)
    return refusalAnswer(inOwnWords(plan.refuse, call.route), plan, streamed);
  const problem = problemOf(call);
  if (problem !== undefined) return refusalAnswer(inOwnWords(problem, call.route), {}, false);
  if (plan.nonAnswer !== undefined) return nonAnswer(plan.nonAnswer, plan, streamed);
  if (plan.replay !== undefined)
    return replayAnswer(plan.replay, plan, call.route.name === 'ollama');
  return ENDPOINTS[call.route.endpoint](call, plan);
}

/** Endpoints called without a JSON body. */
const BODILESS: ReadonlySet<Endpoint> = new Set(['response', 'file']);
/** Endpoints that need no model. */
const MODELLESS: ReadonlySet<Endpoint> = new Set(['moderations', 'app']);

function problemOf(call: Call): Refusal | undefined {
  const { route, method } = call;
  const where = `${method} ${call.path}`;
  if (route.endpoint === 'unknown') {
    return { status: 404, code: 'unknown_url', message: `Unknown request URL: ${where}.` };
  }
  const isDelete = method === 'DELETE' && route.endpoint === 'response' && route.action === '';
  if (method !== route.method && !isDelete) {
    const words = { code: 'method_not_supported', message: `Not allowed: ${where}.` };
    return { status: 405, type: 'invalid_request_error', ...words };
  }
  if (route.azure && !AZURE_VERSION.test(call.query)) {
    return { status: 404, type: null, code: '404', message: 'Resource not found' };
  }
  if (route.method === 'GET' || BODILESS.has(route.endpoint)) return undefined;
  if (call.body === undefined && route.medium?.schema !== undefined) {
    return { status: 400, message: 'We could not parse the body of your request.' };
  }
  if (call.body === undefined && route.medium === undefined) {
    return { status: 400, message: 'We could not parse the JSON body of your request.' };
  }
  const odd = route.azure && route.endpoint === 'chat' ? oddField(call.body) : undefined;
  if (odd !== undefined) {
    const message = `Unrecognized request argument supplied: ${odd}`;
    return { status: 400, type: 'invalid_request_error', code: null, message };
  }
  if (route.medium?.modelInPath || MODELLESS.has(route.endpoint)) return undefined;
  if (modelOf(route, call.body) === '') {
    return { status: 400, param: 'model', message: 'you must provide a model parameter' };
  }
  return undefined;
}

function oddField(body: unknown): string | undefined {
  const fields = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  return fields.find((name) => !AZURE_CHAT_FIELDS.has(name));
}

/** A date, optionally with the preview suffix. */
const AZURE_VERSION = /(^|&)api-version=\d{4}-\d\d-\d\d(-preview)?(&|$)/;
