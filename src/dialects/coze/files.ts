/**
 * Images and files of a Coze request: URLs are kept, bytes are sent by upload id. Source:
 * www.coze.cn/open/docs/developer_guides/upload_files.
 */
import { wrongField } from '../../domain/errors/field-errors.ts';
import { type JsonObject, objectIn, textIn } from '../../json/read-json.ts';
import type { Block } from '../hub/blocks.ts';
import type { AppTarget } from '../hub/dialect.ts';
import { bytesOf, mediaOf, type UploadApi } from '../hub/request/uploads.ts';
import { readCozeError } from './errors.ts';

export const COZE_UPLOADS: UploadApi = {
  path: '/v1/files/upload',
  fields: () => ({}),
  files: ({ messages }) => bytesOf(mediaOf(messages)),
  idIn: (json) => textIn(objectIn(json, 'data'), 'id'),
  readError: readCozeError,
};

/** @throws AppError field_wrong for media without URL or upload. */
export function writeMedia(block: Block, app: AppTarget | undefined): readonly JsonObject[] {
  if (block.kind !== 'image' && block.kind !== 'file' && block.kind !== 'audio') return [];
  const { source, kind } = block;
  if (source.kind === 'url') return [{ type: kind, file_url: source.url }];
  const id = app?.uploadedId?.(source);
  if (id !== undefined) return [{ type: kind, file_id: id }];
  throw wrongField('messages', 'media_source');
}
