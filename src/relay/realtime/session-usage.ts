/**
 * Counts what a session hears and says, for responses whose usage nobody tells: those that broke, and
 * those of upstreams that report none. Sound is counted by its length, text by the usual estimate.
 */
import {
  type AudioRates,
  audioRates,
  type Consumption,
  DEFAULT_RATES,
  promptOf,
  type RealtimeEvent,
} from '../../dialects/openai/realtime.ts';
import { emptyUsage, type Usage } from '../../domain/pricing/usage.ts';
import { estimateTokens } from '../../domain/token-count/token-estimate.ts';

/** OpenAI's figures: a token for 100 ms of what is heard, and for 50 ms of what is said. */
const HEARD_PER_SEC = 10;
const SAID_PER_SEC = 20;

export class Tally {
  #rates: AudioRates = DEFAULT_RATES;
  /** The conversation so far, which is the prompt of the next response. */
  #context = { text: 0, audio: 0 };
  #said = { text: 0, audio: 0 };

  /** Tokens of the conversation so far. */
  get contextTokens(): number {
    return Math.ceil(this.#context.text + this.#context.audio);
  }

  get hasContent(): boolean {
    return this.#said.text + this.#said.audio > 0;
  }

  fromClient(event: RealtimeEvent): void {
    const { audioBytes, text } = promptOf(event);
    this.#context.text += estimateTokens(text);
    this.#context.audio += (audioBytes / this.#rates.inputBytesPerSec) * HEARD_PER_SEC;
  }

  session(event: RealtimeEvent): void {
    this.#rates = audioRates(event);
  }

  delivered({ text, audioBytes }: Extract<Consumption, { kind: 'delivered' }>): void {
    this.#said.text += estimateTokens(text);
    this.#said.audio += (audioBytes / this.#rates.outputBytesPerSec) * SAID_PER_SEC;
  }

  /** What the response under way has used; what it said is part of the conversation from now on. */
  take(): Usage {
    const usage = {
      ...emptyUsage(),
      input: Math.ceil(this.#context.text),
      audioInput: Math.ceil(this.#context.audio),
      output: Math.ceil(this.#said.text),
      audioOutput: Math.ceil(this.#said.audio),
    };
    this.#context.text += this.#said.text;
    this.#context.audio += this.#said.audio;
    this.#said = { text: 0, audio: 0 };
    return usage;
  }
}
