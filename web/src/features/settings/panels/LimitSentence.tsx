import { useTranslation } from 'react-i18next';
import { Notice } from '../../../components/display/Notice.tsx';
import { useSettings } from '../sections/settings-store.ts';

/** Summarizes the effect of the fields below for a user. */
export function LimitSentence() {
  const { t } = useTranslation();
  const { text } = useSettings();
  const minutes = text('ModelRequestRateLimitDurationMinutes');
  const count = text('ModelRequestRateLimitCount');
  const success = text('ModelRequestRateLimitSuccessCount');
  const isOn = text('ModelRequestRateLimitEnabled') === 'true' && Number(minutes) > 0;
  const kind = Number(count) > 0 ? 'both' : 'success';
  return (
    <div style={{ marginBottom: 16 }}>
      <Notice tone="blue">
        {isOn ? t(`setting.limit.${kind}`, { minutes, count, success }) : t('setting.limit.off')}
      </Notice>
    </div>
  );
}
