import { Button } from '@mantine/core';
import { IconFileInvoice } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { FormDrawer } from '../../../components/forms/FormDrawer.tsx';
import { useDrawerRecord } from '../../../hooks/useRecord.ts';
import { userKeys } from '../../../lib/api/query-keys.ts';
import { linkTo } from '../../../lib/browser/page-links.ts';
import { users } from '../calls.ts';
import { UserFields } from './UserFields.tsx';
import { useUserForm } from './useUserForm.ts';

interface EditUserDrawerProps {
  /** '' is closed. */
  readonly id: string;
  readonly onClose: () => void;
}

export function EditUserDrawer({ id, onClose }: EditUserDrawerProps) {
  const { t } = useTranslation();
  const user = useDrawerRecord(userKeys, id, users.get, onClose);
  const edit = useUserForm(user);
  return (
    <FormDrawer
      isOpen={user !== undefined}
      onClose={onClose}
      title={t('user.edit', { name: user?.username ?? '' })}
      {...edit}
      extra={
        <Button
          component={Link}
          variant="default"
          to={linkTo('/admin/statement', { user: id })}
          leftSection={<IconFileInvoice size={16} />}
        >
          {t('user.action.statement')}
        </Button>
      }
    >
      {user && <UserFields form={edit.form} user={user} />}
    </FormDrawer>
  );
}
