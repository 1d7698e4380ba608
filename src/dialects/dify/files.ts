/** Images and documents of a Dify request: URLs are kept, bytes are sent by upload id. */
import { type JsonObject, textIn } from '../../json/read-json.ts';
import type { AppTarget } from '../hub/dialect.ts';
import type { HubRequest } from '../hub/request/request.ts';
import { bytesOf, type Media, mediaOf, type UploadApi } from '../hub/request/uploads.ts';

export const DIFY_UPLOADS: UploadApi = {
  path: '/v1/files/upload',
  fields: (user) => ({ user }),
  files: (request) => bytesOf(questionMedia(request)),
  idIn: (json) => textIn(json, 'id'),
  readError: () => undefined,
};

export function writeFiles(
  request: HubRequest,
  target: AppTarget | undefined,
): readonly JsonObject[] {
  return questionMedia(request).flatMap(({ kind, source }): readonly JsonObject[] => {
    const type = kind === 'file' ? 'document' : kind;
    if (source.kind === 'url') return [{ type, transfer_method: 'remote_url', url: source.url }];
    const id = target?.uploadedId?.(source);
    return id === undefined ? [] : [{ type, transfer_method: 'local_file', upload_file_id: id }];
  });
}

/** Media of the last turn only: the application knows those of earlier turns, or they are lost. */
function questionMedia({ messages }: HubRequest): readonly Media[] {
  const last = messages.findLast(({ role }) => role === 'user');
  return last === undefined ? [] : mediaOf([last]);
}
