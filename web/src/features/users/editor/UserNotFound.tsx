import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { Empty } from '../../../components/layout/list-states.tsx';

/** Shown if the URL's id matches no account. */
export function NotThere() {
  const { t } = useTranslation();
  return (
    <Empty
      title={t('user.notThere')}
      action={
        <Button component={Link} to="/admin/users">
          {t('user.title')}
        </Button>
      }
    />
  );
}
