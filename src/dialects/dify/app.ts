/**
 * Dify's applications: chat applications and agents, completions and workflows. The application
 * defines model, prompt and tools; a request contains a question, inputs and files. Source:
 * docs.dify.ai, "API access".
 */
import { emptyUsage, type Usage } from '../../domain/pricing/usage.ts';
import {
  isObject,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
} from '../../json/read-json.ts';
import { errorInSuccess } from '../../upstream-errors/read-upstream-error.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { HubAnswer } from '../hub/answer/answer.ts';
import type { HubEvent } from '../hub/answer/events.ts';
import { JsonDecoder, textEvents } from '../hub/answer/json-decoder.ts';
import type { RequestTarget, UpstreamDialect } from '../hub/dialect.ts';
import { extrasFor } from '../hub/extras.ts';
import { conversationText, lastQuestion } from '../hub/request/conversation.ts';
import type { HubRequest } from '../hub/request/request.ts';
import { writeFiles } from './files.ts';

/** Applications without a conversation expect the question in an input of this name. */
const QUESTION_INPUT = 'query';

export const DIFY: UpstreamDialect = {
  name: 'dify',
  limit: { isAbsent: true },
  writeRequest,
  readAnswer,
  decoder: () => new DifyDecoder(),
  readError,
};

function writeRequest(request: HubRequest, { app, stream }: RequestTarget): JsonObject {
  const {
    inputs: given,
    conversation_id: conversation,
    auto_generate_name: named,
  } = extrasFor('openai', request);
  const files = writeFiles(request, app);
  const inputs = isObject(given) ? given : {};
  const shared = {
    response_mode: stream ? 'streaming' : 'blocking',
    user: request.user ?? app?.user ?? 'gateway',
    ...(files.length === 0 ? {} : { files }),
  };
  // The application keeps the history of a conversation it knows.
  const isKnown = typeof conversation === 'string' && conversation !== '';
  const query = isKnown ? lastQuestion(request) : conversationText(request);
  if (/^(workflow|completion)$/.test(app?.other ?? ''))
    return { inputs: { [QUESTION_INPUT]: query, ...inputs }, ...shared };
  return {
    inputs,
    query,
    ...shared,
    ...(isKnown ? { conversation_id: conversation } : {}),
    auto_generate_name: named === true,
  };
}

function readAnswer(json: JsonObject): HubAnswer {
  const data = objectIn(json, 'data');
  const text = textIn(json, 'answer') ?? outputText(data);
  return {
    id: textIn(json, 'message_id') ?? textIn(json, 'workflow_run_id'),
    blocks: text === '' ? [] : [{ kind: 'text', text }],
    stop: 'end',
    usage: readUsage(json),
  };
}

/** A workflow's author chooses the names of its outputs. */
function outputText(data: JsonObject | undefined): string {
  const outputs = objectIn(data, 'outputs') ?? {};
  const texts = Object.values(outputs).filter((value) => typeof value === 'string');
  if (texts.length > 0) return texts.join('\n');
  return Object.keys(outputs).length === 0 ? '' : JSON.stringify(outputs);
}

function readUsage(holder: JsonObject): Usage | undefined {
  const raw = objectIn(objectIn(holder, 'metadata'), 'usage');
  const input = numberIn(raw, 'prompt_tokens') ?? 0;
  const output = numberIn(raw, 'completion_tokens') ?? 0;
  return input + output > 0 ? { ...emptyUsage(), input, output } : undefined;
}

/** `{code, message, status}`; a failed run has its error in `data`. */
function readError(json: unknown): UpstreamError | undefined {
  if (!isObject(json)) return undefined;
  if (json.event === 'error' || (json.code !== undefined && json.answer === undefined)) {
    const { code, message, status } = json;
    return errorInSuccess({ error: { message: message ?? code, type: code, code: status ?? 500 } });
  }
  const data = objectIn(json, 'data');
  const isRun = json.event === undefined || json.event === 'workflow_finished';
  if (!isRun || data?.status !== 'failed') return undefined;
  return errorInSuccess({ error: { message: textIn(data, 'error') ?? '' } });
}

class DifyDecoder extends JsonDecoder {
  #text = '';
  #outputs = '';
  #isRunOver = false;

  protected readonly errorOf = readError;

  protected read(frame: JsonObject): readonly HubEvent[] {
    const id = textIn(frame, 'message_id') ?? textIn(frame, 'workflow_run_id');
    switch (frame.event) {
      case 'message':
      case 'agent_message':
        return [...this.started({ id }), ...this.#textEvents(textIn(frame, 'answer'))];
      case 'text_chunk':
        return [
          ...this.started({ id }),
          ...this.#textEvents(textIn(objectIn(frame, 'data'), 'text')),
        ];
      case 'message_file':
        return this.#file(frame);
      case 'workflow_finished':
        return this.#finishedRun(frame);
      case 'message_end':
        return this.#over(readUsage(frame), sourcesOf(frame));
      // Agent thoughts, workflow nodes, speech and pings do not contain the answer.
      default:
        return [];
    }
  }

  /** A workflow that streamed no text has its answer in the outputs. */
  override end(): readonly HubEvent[] {
    if (this.isOver || !this.#isRunOver) return [];
    const rest = this.#text === '' ? this.#outputs : '';
    return [...this.started({}), ...textEvents(rest), ...this.#over(undefined, [])];
  }

  #textEvents(text: string | undefined): readonly HubEvent[] {
    this.#text += text ?? '';
    return textEvents(text);
  }

  #file(frame: JsonObject): readonly HubEvent[] {
    const url = textIn(frame, 'url');
    if (url === undefined || frame.belongs_to === 'user') return [];
    return this.#textEvents(frame.type === 'image' ? `![image](${url})` : url);
  }

  #finishedRun(frame: JsonObject): readonly HubEvent[] {
    this.#outputs = outputText(objectIn(frame, 'data'));
    this.#isRunOver = true;
    this.isComplete = true;
    return [];
  }

  #over(usage: Usage | undefined, sources: readonly HubEvent[]): readonly HubEvent[] {
    this.isComplete = true;
    this.isOver = true;
    const usageEvents = usage === undefined ? [] : [{ kind: 'usage', usage } as const];
    return [...sources, ...usageEvents, { kind: 'finish', stop: 'end' }];
  }
}

function sourcesOf(frame: JsonObject): readonly HubEvent[] {
  return objectsIn(objectIn(frame, 'metadata'), 'retriever_resources').flatMap((source) => {
    const url = textIn(source, 'url');
    if (url === undefined) return [];
    return [
      { kind: 'citation', citation: { url, title: textIn(source, 'document_name') } } as const,
    ];
  });
}
