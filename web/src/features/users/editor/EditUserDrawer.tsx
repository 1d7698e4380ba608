import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '../../../components/forms/FormDrawer.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
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
    >
      {data && <UserFields form={form} user={data} />}
    </FormDrawer>
  );
}
