/**
 * Counts the input and output of a session, for responses without reported usage: those that broke
 * off, and those of upstreams that report none. Audio is counted by its length, text by the usual
 * estimate.
 */
import {
  type AudioRates,
  audioRates,
  DEFAULT_RATES,
  promptOf,
  type RealtimeEvent,
  type RealtimeUsage,
} from '../../dialects/openai/endpoints/realtime.ts';
import { emptyUsage, type Usage } from '../../domain/pricing/usage.ts';
import { estimateTokens } from '../../domain/token-count/token-estimate.ts';

/** OpenAI's rates: one token per 100 ms of input audio, and per 50 ms of output audio. */
const INPUT_TOKENS_PER_SEC = 10;
const OUTPUT_TOKENS_PER_SEC = 20;

export class UsageTally {
  #rates: AudioRates = DEFAULT_RATES;
  /** The conversation so far, which is the prompt of the next response. */
  #context = { text: 0, audio: 0 };
  #output = { text: 0, audio: 0 };

  /** Tokens of the conversation so far. */
  get context(): { readonly text: number; readonly audio: number } {
    return { text: Math.ceil(this.#context.text), audio: Math.ceil(this.#context.audio) };
  }

  get contextTokens(): number {
    return Math.ceil(this.#context.text + this.#context.audio);
  }

  get hasContent(): boolean {
    return this.#output.text + this.#output.audio > 0;
  }

  fromClient(event: RealtimeEvent): void {
    const { audioBytes, text } = promptOf(event);
    this.#context.text += estimateTokens(text);
    this.#context.audio += (audioBytes / this.#rates.inputBytesPerSec) * INPUT_TOKENS_PER_SEC;
  }

  session(event: RealtimeEvent): void {
    this.#rates = audioRates(event);
  }

  delivered({ text, audioBytes }: Extract<RealtimeUsage, { kind: 'delivered' }>): void {
    this.#output.text += estimateTokens(text);
    this.#output.audio += (audioBytes / this.#rates.outputBytesPerSec) * OUTPUT_TOKENS_PER_SEC;
  }

  /** Usage of the current response, whose output becomes part of the conversation. */
  take(): Usage {
    const usage = {
      ...emptyUsage(),
      input: Math.ceil(this.#context.text),
      audioInput: Math.ceil(this.#context.audio),
      output: Math.ceil(this.#output.text),
      audioOutput: Math.ceil(this.#output.audio),
    };
    this.#context.text += this.#output.text;
    this.#context.audio += this.#output.audio;
    this.#output = { text: 0, audio: 0 };
    return usage;
  }
}
