/** Parts of Anthropic answers shared by streams and whole answers. */
import type { JsonObject } from '../../json/read-json.ts';
import type { AudioBlock, Citation, ImageBlock } from '../hub/blocks.ts';
import type { AnswerContext } from '../hub/dialect.ts';
import { dataUrl } from '../hub/request/media.ts';

export function anthropicMessageStart({ id, model }: AnswerContext): JsonObject {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model };
}

/** Claude does not return images, so an image is sent as Markdown text. */
export function imageText({ kind, source }: ImageBlock | AudioBlock): string {
  if (kind !== 'image') return '';
  if (source.kind === 'base64') return `![image](${dataUrl(source)})`;
  return source.kind === 'url' ? `![image](${source.url})` : '';
}

export function writeAnthropicCitation({ url, title, quote }: Citation): JsonObject {
  return {
    type: 'web_search_result_location',
    url,
    title: title ?? null,
    cited_text: quote ?? '',
    encrypted_index: '',
  };
}
