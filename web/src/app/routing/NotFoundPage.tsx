import { Button, EmptyState } from '@mantine/core';
import { IconMapQuestion } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import { usePageTitle } from '../../components/layout/PageHeader.tsx';

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
        <Button variant="default" onClick={() => void navigate(-1)}>
          {t('action.back')}
        </Button>
      </EmptyState.Actions>
    </EmptyState>
  );
}
