/** The form of a destination of the site's alerts. */
import type * as z from 'zod/mini';
import type { Destination as DestinationReply } from '../../../../../src/api/messaging/destination.ts';
import { isLanguage } from '../../../../../src/domain/languages.ts';
import {
  type AddressProblem,
  addressProblem,
  type DestinationKind,
} from '../../../../../src/domain/notification-kinds.ts';
import type { AddressValues } from '../../../components/notifications/NotificationAddress.tsx';

export type Destination = z.output<typeof DestinationReply>;

export interface DestinationValues extends AddressValues {
  readonly name: string;
  readonly kind: DestinationKind;
  /** For the kind `email`, instead of `webhook_url`. */
  readonly email: string;
  /** A language, or `SITE_LANGUAGE`. */
  readonly language: string;
}

export const SITE_LANGUAGE = 'site';

/** @param destination undefined for a new one. */
export function destinationValues(destination: Destination | undefined): DestinationValues {
  const { name = '', kind = 'slack', address = '', language = null } = destination ?? {};
  return {
    name,
    kind,
    email: kind === 'email' ? address : '',
    webhook_url: kind === 'email' ? '' : address,
    webhook_secret: '',
    drops_secret: false,
    language: language ?? SITE_LANGUAGE,
  };
}

/** A key of the texts. */
export type DestinationProblem = 'setting.alert.noName' | `part.notice.error.${AddressProblem}`;

export function destinationProblems(values: DestinationValues): {
  readonly [F in keyof DestinationValues]?: DestinationProblem;
} {
  const problem = addressProblem(values.kind, addressOf(values));
  const field = values.kind === 'email' ? 'email' : 'webhook_url';
  return {
    ...(values.name.trim() === '' && { name: 'setting.alert.noName' as const }),
    ...(problem && { [field]: `part.notice.error.${problem}` as const }),
  };
}

function addressOf({ kind, email, webhook_url }: DestinationValues): string {
  return (kind === 'email' ? email : webhook_url).trim();
}

/** @param before the name of the destination that is changed. */
export function destinationInput(values: DestinationValues, before: string | undefined) {
  const { name, kind, webhook_secret, drops_secret, language } = values;
  return {
    name: name.trim(),
    kind,
    address: addressOf(values),
    language: isLanguage(language) ? language : null,
    ...(drops_secret ? { secret: null } : webhook_secret !== '' && { secret: webhook_secret }),
    ...(before !== undefined && { before }),
  };
}
