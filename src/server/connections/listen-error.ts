/** Names the reasons why an address cannot be listened on. */
import { AppError } from '../../domain/errors/errors.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** The settings that change the host and the port. */
  readonly names: string;
}

/** The error for a failed `listen`; any other error unchanged. */
export function asListenError(thrown: unknown, { host, port, names }: ListenAddress): unknown {
  if (!(thrown instanceof Error) || !('code' in thrown)) return thrown;
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  switch (thrown.code) {
    case 'EADDRINUSE':
      return new AppError('port_in_use', { address, names }, { cause: thrown });
    case 'EACCES':
      return new AppError('port_denied', { address, names }, { cause: thrown });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new AppError('host_not_local', { address, names }, { cause: thrown });
    default:
      return thrown;
  }
}
