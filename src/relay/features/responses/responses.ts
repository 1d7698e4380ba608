/** Stored and background answers of the Responses API. */
import { clientDialect } from '../../../dialects/all.ts';
import { storedIdsOf } from '../../../dialects/responses/forward.ts';
import { objectsIn } from '../../../json/read-json.ts';
import { isStoredUpstream } from '../../call/call-facts.ts';
import type { Feature } from '../feature.ts';
import { openBackground } from './background-responses.ts';
import { withKeptItems } from './kept-items.ts';
import { capableCandidates } from './pinned-channel.ts';
import { rememberAnswer } from './remember-answer.ts';
import { requestAsChat } from './request-as-chat.ts';

export const responses: Feature = {
  client: {
    appliesTo: (client) => clientDialect(client).keepsAnswers === true,
    alter: withKeptItems,
    candidates: capableCandidates,
    onAnswer: openBackground,
    onDelivered(relay, call, delivered) {
      if ('reader' in delivered) {
        const { keptIds = [], items } = delivered.reader;
        return rememberAnswer(relay, call, { ids: keptIds, items });
      }
      const { json, translated } = delivered.plain;
      const items = translated && objectsIn(translated, 'output');
      return rememberAnswer(relay, call, { ids: storedIdsOf(json), items });
    },
  },
  route: {
    appliesTo: (plan) => isStoredUpstream({ route: { plan } }),
    otherRequest: requestAsChat,
  },
};
