import { Button, EmptyState } from '@mantine/core';
import { IconAlertTriangle, IconMapQuestion } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useRouteError } from 'react-router-dom';
import { CopyWideButton } from '../../components/display/copy.tsx';
import { SideButton } from '../../components/display/SideButton.tsx';
import { usePageTitle } from '../../components/layout/PageHeader.tsx';

/**
 * Shown when a screen throws or its files were replaced by a newer release; a reload fixes the
 * latter.
 */
export function CrashPage() {
  const { t } = useTranslation();
  const error = useRouteError();
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return (
    <EmptyState
      py={64}
      role="alert"
      icon={<IconAlertTriangle size={40} stroke={1.5} />}
      title={t('crash.title')}
      description={t('crash.text')}
    >
      <EmptyState.Actions mt="sm">
        <Button onClick={() => window.location.reload()}>{t('action.reload')}</Button>
        <CopyWideButton text={`${window.location.pathname}\n${details}`}>
          {t('action.copyDetails')}
        </CopyWideButton>
      </EmptyState.Actions>
    </EmptyState>
  );
}

export function NotFoundPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  usePageTitle(t('notFound.title'));
  return (
    <EmptyState py={64} icon={<IconMapQuestion size={40} stroke={1.5} />}>
      <EmptyState.Title order={1}>{t('notFound.title')}</EmptyState.Title>
      <EmptyState.Description>{t('notFound.text')}</EmptyState.Description>
      <EmptyState.Actions mt="sm">
        <Button component={Link} to="/">
          {t('action.home')}
        </Button>
        <SideButton label={t('action.back')} onClick={() => void navigate(-1)} />
      </EmptyState.Actions>
    </EmptyState>
  );
}
