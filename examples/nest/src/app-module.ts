import { Module } from '@nestjs/common'
import { Api } from './api.ts'
import { HealthController } from './health-controller.ts'
import { Users } from './users.ts'

@Module({ controllers: [HealthController], providers: [Api, Users] })
export class AppModule {}
