/** Finds the address of a command's server and checks whether it is running. */
import { AppError } from '../../domain/errors/errors.ts';
import { localUrl } from '../../session/snippets.ts';
import type { CommandContext } from '../command-context.ts';

const PING_TIMEOUT_MS = 2000;

/**
 * Returns the URL without a trailing slash. On this machine, a running server of the same data
 * folder takes precedence over the configured address, because another folder's server may listen
 * there.
 */
export async function serverAddressOf(cli: CommandContext): Promise<string> {
  const server = await cli.server();
  if (server !== undefined) return server.url;
  const config = await cli.config();
  const configured = localUrl(config.host, config.port);
  const { runningServers } = await import('./running-servers.ts');
  const running = runningServers(config);
  if (running.includes(configured)) return configured;
  for (const url of running) if (await isReachable(url)) return url;
  return configured;
}

/** Whether a gateway listens there: only gateways know this path. */
export async function isReachable(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/api/status`, {
      signal: AbortSignal.timeout(PING_TIMEOUT_MS),
    });
    const body: unknown = await answer.json();
    return typeof body === 'object' && body !== null && 'success' in body && body.success === true;
  } catch {
    // Connection refused, timeout or another service: no gateway there.
    return false;
  }
}

/** @throws AppError `server_unreachable`. */
export async function liveAddress(cli: CommandContext): Promise<string> {
  const url = await serverAddressOf(cli);
  if (!(await isReachable(url))) throw new AppError('server_unreachable', { url });
  return url;
}
