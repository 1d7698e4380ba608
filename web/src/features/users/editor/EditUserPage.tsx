import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams } from 'react-router-dom';
import { FormPage } from '../../../components/forms/FormPage.tsx';
import { Empty, Loaded } from '../../../components/layout/list-states.tsx';
import { useRecord } from '../../../hooks/useRecord.ts';
import { userKeys } from '../../../lib/api/query-keys.ts';
import { type User, users } from '../calls.ts';
import { UserFields } from './UserFields.tsx';
import { useUserForm } from './useUserForm.ts';

/** The drawer's form on a page with its own URL. */
export function EditUserPage() {
  const { id = '' } = useParams();
  const query = useRecord(userKeys, id, users.get);
  if (!/^\d+$/.test(id)) return <NotThere />;
  return <Loaded query={query}>{(user) => <EditUser key={user.id} user={user} />}</Loaded>;
}

function EditUser({ user }: { readonly user: User }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const edit = useUserForm(user);
  return (
    <FormPage
      title={t('user.edit', { name: user.username })}
      back={{ to: '/admin/users', label: t('nav.users') }}
      width={640}
      {...edit}
      onDone={() => navigate('/admin/users')}
    >
      <UserFields form={edit.form} user={user} />
    </FormPage>
  );
}

/** Shown if the URL's id matches no account. */
function NotThere() {
  const { t } = useTranslation();
  return (
    <Empty
      title={t('user.notThere')}
      action={
        <Button component={Link} to="/admin/users">
          {t('nav.users')}
        </Button>
      }
    />
  );
}
