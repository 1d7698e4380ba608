/** Asks whether to go on when a call would take something away from users. */
import { apiCalls } from '../api/all.ts';
import { askingBeforeImpact } from '../api/impact.ts';
import type { AppError } from '../domain/errors/errors.ts';
import type { LocalApi, Session } from './session.ts';

/** The session with a question before such a call. A dry run does not ask: it shows the impact. */
export function askingSession(
  session: Session,
  ask: (impact: AppError) => Promise<boolean>,
): Session {
  const asking = (api: LocalApi, answer = ask) => askingBeforeImpact(api, apiCalls, answer);
  return {
    ...session,
    api: asking(session.api),
    dryRun: (work) => session.dryRun((api) => work(asking(api, async () => false))),
  };
}
