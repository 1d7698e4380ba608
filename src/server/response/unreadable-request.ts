/**
 * Refuses requests that reach no route (an undecodable path, bytes that are not HTTP), in the usual
 * error form and with their own request id.
 */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openAiError } from '../../domain/errors/error-shapes.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { errorText } from '../../locales/text.ts';

/** For Fastify's `frameworkErrors`: no hook has run, so the id is set here. */
export function handleInvalidUrl(
  _error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const path = request.url.split('?')[0] ?? '';
  const error = new AppError('route_unknown', { method: request.method, path });
  const message = errorText(error);
  reply
    .code(error.status)
    .header('x-request-id', request.id)
    .send(openAiError({ message, type: 'invalid_request_error', param: '', code: '' }));
}

/** Status by Node's parse error code (nodejs.org/api/http.html, 'clientError'); else 400. */
const STATUS_OF: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** For Fastify's `clientErrorHandler`: there is only a socket, no request. */
export function handleInvalidBytes(newId: () => string) {
  return (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (error.code !== 'ECONNRESET' && socket.writable)
      socket.write(responseText(STATUS_OF[error.code ?? ''] ?? 400, newId()));
    socket.destroy();
  };
}

function responseText(status: number, requestId: string): string {
  const message = STATUS_CODES[status] ?? '';
  const body = JSON.stringify(
    openAiError({ message, type: 'invalid_request_error', code: 'bad_request' }),
  );
  const head = [
    `HTTP/1.1 ${status} ${message}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
