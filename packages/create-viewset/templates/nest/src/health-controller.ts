import { Controller, Get, Inject, ServiceUnavailableException } from '@nestjs/common'
import { Api } from './api-provider.ts'

@Controller()
export class HealthController {
  @Inject(Api)
  private readonly api!: Api

  @Get('health')
  health() {
    return { status: 'ok' }
  }

  @Get('ready')
  async ready() {
    const { code, body } = await this.api.readiness()
    if (code === 503) throw new ServiceUnavailableException(body)
    return body
  }
}
