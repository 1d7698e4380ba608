/** A tool call of a running response: a separate item, streamed in pieces, whole at its end. */
import type { JsonObject } from '../../json/read-json.ts';
import { customInput } from '../openai/chat/chat-answer-parts.ts';
import { type CallItem, callItem } from './answer-parts.ts';

/** One event of the stream, without its sequence number. */
export interface ResponsesEvent {
  readonly type: string;
  readonly fields: JsonObject;
}

export class OpenCall {
  readonly index: number;
  readonly #call: Omit<CallItem, 'args'>;
  /** The upstream called a free-text tool as a function, so its input is known only at the end. */
  readonly #isWrapped: boolean;
  #args = '';

  constructor(call: Omit<CallItem, 'args'> & { readonly index: number }, isWrapped: boolean) {
    const { index, ...rest } = call;
    this.index = index;
    this.#call = rest;
    this.#isWrapped = isWrapped;
  }

  get begun(): JsonObject {
    return callItem({ ...this.#call, args: '' }, 'in_progress');
  }

  add(json: string): readonly ResponsesEvent[] {
    this.#args += json;
    return this.#isWrapped || json === '' ? [] : [this.#delta(json)];
  }

  end(): { readonly steps: readonly ResponsesEvent[]; readonly item: JsonObject } {
    const { isCustom, name } = this.#call;
    const input = this.#isWrapped ? customInput(this.#args) : this.#args;
    const args = isCustom ? input : input || '{}';
    const done = isCustom
      ? this.#step('custom_tool_call_input.done', { input: args })
      : this.#step('function_call_arguments.done', { name, arguments: args });
    return {
      steps: this.#isWrapped ? [this.#delta(args), done] : [done],
      item: callItem({ ...this.#call, args }, 'completed'),
    };
  }

  #delta(delta: string): ResponsesEvent {
    const type = this.#call.isCustom ? 'custom_tool_call_input' : 'function_call_arguments';
    return this.#step(`${type}.delta`, { delta });
  }

  #step(type: string, fields: JsonObject): ResponsesEvent {
    const position = { item_id: this.#call.id, output_index: this.index };
    return { type: `response.${type}`, fields: { ...position, ...fields } };
  }
}
