/** Asks before a call that takes something away from users. Imported once by the app. */
import i18next from 'i18next';
import { onImpact } from '../../lib/api/api.ts';
import { confirm } from './confirm.tsx';

onImpact((message) =>
  confirm({
    title: i18next.t('part.impact.title'),
    text: message,
    verb: i18next.t('part.impact.verb'),
    isDanger: true,
  }),
);
