/** Asks whether to go on when a call would take something away from users. */
import { apiCalls } from '../api/all.ts';
import { askingBeforeImpact, forcing } from '../api/impact.ts';
import type { AppError } from '../domain/errors/errors.ts';
import type { LocalApi, Session } from './session.ts';

/** The session with `force` in all calls that accept it. */
export function forcedSession(session: Session): Session {
  const forced = (api: LocalApi) => forcing(api, apiCalls);
  return {
    ...session,
    api: forced(session.api),
    dryRun: (work) => session.dryRun((api) => work(forced(api))),
  };
}

/** The session with a question before such a call. A dry run does not ask: it shows the impact. */
export function askingSession(
  session: Session,
  ask: (impact: AppError) => Promise<boolean>,
): Session {
  return { ...session, api: askingBeforeImpact(session.api, ask) };
}
