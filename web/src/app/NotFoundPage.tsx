import { Button, EmptyState } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import { LostPageIcon } from '../parts/icons.tsx';

export function NotFoundPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  useDocumentTitle(t('notFound.title'));
  return (
    <EmptyState py={64} icon={<LostPageIcon size={40} />}>
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
