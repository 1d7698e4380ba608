import { Button, EmptyState } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { WarningIcon } from '../parts/icons.tsx';

/** A screen that threw, or whose files a newer release replaced: a reload mends the second. */
export function CrashPage() {
  const { t } = useTranslation();
  return (
    <EmptyState
      py={64}
      role="alert"
      icon={<WarningIcon size={40} />}
      title={t('crash.title')}
      description={t('crash.text')}
    >
      <EmptyState.Actions mt="sm">
        <Button onClick={() => window.location.reload()}>{t('action.reload')}</Button>
      </EmptyState.Actions>
    </EmptyState>
  );
}
