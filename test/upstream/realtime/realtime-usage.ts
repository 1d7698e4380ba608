/** The usage of a Realtime response, in the form of `response.done`. */
import { promptTokensOf } from '../content/text.ts';

const PER_MESSAGE = 4;
const PCM_BYTES_PER_SEC = 48_000;
const HEARD_PER_SEC = 10;

interface Tokens {
  readonly text: number;
  readonly audio: number;
}

/** A growing conversation; input read by earlier responses comes from the cache. */
export class Conversation {
  #text = 0;
  #audio = 0;
  #read: Tokens = { text: 0, audio: 0 };

  addText(text: string): void {
    this.#text += PER_MESSAGE + promptTokensOf(text);
  }

  hear(base64: string): number {
    const bytes = Buffer.from(base64, 'base64').length;
    const tokens = Math.ceil((bytes / PCM_BYTES_PER_SEC) * HEARD_PER_SEC);
    this.#audio += tokens;
    return tokens;
  }

  usage(output: Tokens) {
    const cached = this.#read;
    const input = this.#text + this.#audio;
    this.#read = { text: this.#text, audio: this.#audio };
    const usage = {
      total_tokens: input + output.text + output.audio,
      input_tokens: input,
      output_tokens: output.text + output.audio,
      input_token_details: {
        text_tokens: this.#text,
        audio_tokens: this.#audio,
        image_tokens: 0,
        cached_tokens: cached.text + cached.audio,
        cached_tokens_details: {
          text_tokens: cached.text,
          audio_tokens: cached.audio,
          image_tokens: 0,
        },
      },
      output_token_details: { text_tokens: output.text, audio_tokens: output.audio },
    };
    this.#text += output.text;
    this.#audio += output.audio;
    return usage;
  }
}
