/** Speech and transcription formats of other providers. */
import { definedFields } from '../../domain/defined-fields.ts';
import { numberIn, objectIn, textIn } from '../../json/read-json.ts';
import { type Conversion, unsupportedField, voiceOrDefault } from './conversion.ts';

const FORMATS: ReadonlySet<string> = new Set(['mp3', 'pcm', 'flac', 'wav']);

/** MiniMax's t2a_v2: the audio is hexadecimal text inside JSON, billed by the character. */
export const minimaxSpeech: Conversion = {
  writeBody(body) {
    const format = textIn(body, 'response_format') ?? 'mp3';
    if (!FORMATS.has(format)) throw unsupportedField('response_format');
    if (body.stream_format === 'sse') throw unsupportedField('stream_format');
    return {
      model: body.model,
      text: body.input,
      stream: false,
      voice_setting: definedFields({
        voice_id: voiceOrDefault(body, 'male-qn-qingse'),
        speed: numberIn(body, 'speed'),
      }),
      audio_setting: { format },
    };
  },
  readAnswer(json) {
    const characters = numberIn(objectIn(json, 'extra_info'), 'usage_characters');
    return {
      audio: Buffer.from(textIn(objectIn(json, 'data'), 'audio') ?? '', 'hex'),
      type: '',
      usage: characters === undefined ? undefined : { prompt_tokens: characters },
    };
  },
};

const PLAIN_FORMATS: ReadonlySet<unknown> = new Set([undefined, 'json']);

/** Workers AI accepts only the bytes of the file and returns the text. */
export const cloudflareTranscriptions: Conversion = {
  writeBody(body, { files }) {
    if (!PLAIN_FORMATS.has(body.response_format)) throw unsupportedField('response_format');
    const file = files.find(({ name }) => name === 'file');
    if (file === undefined) throw unsupportedField('file');
    return { file };
  },
  readAnswer: (json) => ({ text: textIn(objectIn(json, 'result'), 'text') ?? '' }),
};
