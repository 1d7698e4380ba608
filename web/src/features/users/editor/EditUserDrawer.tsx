import { Button } from '@mantine/core';
import { IconFileInvoice } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { FormDrawer } from '../../../components/forms/FormDrawer.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { linkTo } from '../../../lib/browser/page-links.ts';
import { UserFields } from './UserFields.tsx';
import { useUserForm } from './useUserForm.ts';
import { useUserRecord } from './useUserRecord.ts';

interface EditUserDrawerProps {
  /** '' is closed. */
  readonly id: string;
  readonly onClose: () => void;
}

export function EditUserDrawer({ id, onClose }: EditUserDrawerProps) {
  const { t } = useTranslation();
  const { data, error } = useUserRecord(id);
  const user = id === '' ? undefined : data;
  const { form, save } = useUserForm(user);
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes once per refusal
  useEffect(() => {
    if (error === null) return;
    toast.failure(error);
    onClose();
  }, [error]);
  return (
    <FormDrawer
      isOpen={user !== undefined}
      onClose={onClose}
      title={t('user.edit', { name: data?.username ?? '' })}
      form={form}
      onSubmit={save}
      submitLabel={t('action.save')}
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
      {data && <UserFields form={form} user={data} />}
    </FormDrawer>
  );
}
